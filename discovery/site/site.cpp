#include "discovery/site/site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.hpp"
#include "discovery/site/group_cables.hpp"
#include "discovery/site/node_merge.hpp"
#include "discovery/site/node_names.hpp"

namespace fabricast::inline site {

namespace {

std::string key_of_name(std::string_view name) { return lower_case(trimmed(name, " \t")); }

class Joiner {
public:
    Site join(std::vector<Observations>& all) {
        const bool found =
            std::ranges::any_of(all, [](const auto& seen) { return !seen.plan && !seen.cables.empty(); });
        for (const Observations& seen : all) {
            for (const auto& [guid, host] : seen.hosts_of) { host_of_guid_[guid] = host; }
        }
        for (Observations& seen : all) { take_devices(seen); }
        for (Observations& seen : all) { take_cables(seen, seen.plan && found); }
        const bool alone = all.size() == 1;
        for (Observations& seen : all) { lists_domains(seen) && alone ? take_domains(seen) : take_groups(seen); }
        const std::vector<std::string> words = words_of_hosts(all);
        for (std::size_t i = 0; i < all.size(); ++i) { take_nodes(all[i], words[i]); }
        name_by_files(site_.unnamed);
        for (Observations& seen : all) {
            for (const auto& [kind, count] : seen.dropped) { site_.dropped[kind] += count; }
            for (const std::string& note : seen.notes) { site_.notes.push_back(seen.file + ": " + note); }
            site_.files.push_back(fmt::format("{}: {}{}", seen.file, seen.format, seen.plan ? " (a plan)" : ""));
        }
        return std::move(site_);
    }

private:
    std::uint32_t host(const std::string& name) {
        const auto [at, added] = hosts_.emplace(name, static_cast<std::uint32_t>(site_.hosts.size()));
        if (added) { site_.hosts.push_back({name, {}, {}}); }
        return at->second;
    }

    void take_devices(const Observations& seen) {
        for (const DeviceSeen& device : seen.devices) {
            seen_.emplace(device.key, device);
            if (device.role == Role::fabric_switch) {
                (void)switch_of(device);
            } else {
                site_.infiniband = site_.infiniband || !device.nic.empty();
            }
        }
    }

    // A switch is known by its GUID or, in plans, by its name.
    std::uint32_t switch_of(const DeviceSeen& device) {
        const auto known = by_key_.find(device.key);
        if (known != by_key_.end()) { return known->second; }
        const std::string name = key_of_name(device.name);
        const auto named = by_name_.find(name);
        if (named != by_name_.end() && (device.key == name || site_.devices[named->second].ports == 0)) {
            by_key_[device.key] = named->second;
            SiteDevice& own = site_.devices[named->second];
            own.ports = std::max(own.ports, device.ports);
            own.part = own.part == 0 ? device.part : own.part;
            return named->second;
        }
        const std::string own = named == by_name_.end() ? name : name + "-" + device.key;  // two switches of one name
        return add_device(device.key, {own, "", false, 0, device.ports, device.part, device.at});
    }

    std::uint32_t add_device(const std::string& key, SiteDevice device) {
        const auto index = static_cast<std::uint32_t>(site_.devices.size());
        by_key_[key] = index;
        if (!device.adapter) { by_name_.emplace(device.name, index); }
        site_.devices.push_back(std::move(device));
        return index;
    }

    // The device at an end of a cable. A host known by name has an adapter behind each of its ports.
    std::uint32_t end(const CableEnd& end, const SourceLocation& at) {
        const auto seen = seen_.find(end.device);
        if (seen == seen_.end()) {
            const DeviceSeen stranger{end.device, Role::fabric_switch, at, end.device};
            return switch_of(seen_.emplace(end.device, stranger).first->second);
        }
        const DeviceSeen& device = seen->second;
        if (device.role == Role::fabric_switch) { return switch_of(device); }
        // "mlx5_3/2" is the second port of an adapter.
        const std::string port = end.port.substr(0, end.port.starts_with("mlx5_") ? end.port.find('/') : end.port.npos);
        const std::string label = device.nic.empty() ? port : device.nic;
        const std::string key = device.nic.empty() ? device.key + "\n" + label : device.key;
        if (const auto known = by_key_.find(key); known != by_key_.end()) { return known->second; }
        const auto alias = host_of_guid_.find(device.key);
        const std::string name = alias == host_of_guid_.end() ? device.name : alias->second;
        // A plan may call the same adapter by another port's name; the check of plans compares switch ports.
        const auto same = by_key_.find(name + "\n" + label);
        if (same != by_key_.end() && device.nic.empty()) { return same->second; }
        const std::uint32_t made =
            add_device(key, {name, label.empty() ? "nic" : label, true, host(name), 0, device.part, device.at});
        by_key_.emplace(name + "\n" + label, made);
        guid_host_[device.key] = name;
        if (!device.group.empty()) { guid_host_.emplace(device.group, name); }
        site_.hosts[site_.devices[made].host].adapters.push_back(made);
        return made;
    }

    void take_cables(const Observations& seen, bool planned) {
        const Trust trust = seen.plan ? Trust::hint : Trust::fact;
        for (const CableSeen& cable : seen.cables) {
            // A plan's hosts must not become new ones: only their names count.
            const auto device = [&](const CableEnd& at) {
                return planned ? plan_end(at, cable.at) : end(at, cable.at);
            };
            const std::uint32_t a = device(cable.a), b = device(cable.b);
            SiteCable made{a, b, cable.a.port, cable.b.port, cable.megabits, cable.technology, trust, cable.at};
            planned ? site_.planned.push_back(std::move(made)) : add_cable(std::move(made));
        }
    }

    std::uint32_t plan_end(const CableEnd& at, const SourceLocation& place) {
        const auto seen = seen_.find(at.device);
        const bool host = seen != seen_.end() && seen->second.role == Role::host;
        const std::string name = seen == seen_.end() ? at.device : seen->second.name;
        if (host && !by_name_.contains(key_of_name(name))) {
            const std::string key = "plan\n" + host_name(name);
            if (const auto known = by_key_.find(key); known != by_key_.end()) { return known->second; }
            const auto known_host = hosts_.find(host_name(name));
            const std::uint32_t number = known_host == hosts_.end() ? no_host : known_host->second;
            return add_device(key, {host_name(name), "", true, number, 0, 0, place});
        }
        return end(at, place);
    }

    // One port has one cable: a second one is a contradiction, the same one again another file's word for it.
    void add_cable(SiteCable cable) {
        if (cable.a == cable.b) {
            ++site_.dropped["loopback"];
            return;
        }
        for (const bool first : {true, false}) {
            const std::uint32_t device = first ? cable.a : cable.b;
            const std::string& port = first ? cable.port_a : cable.port_b;
            const auto known = at_port_.find(std::pair(device, port));
            if (port.empty() || known == at_port_.end()) { continue; }
            SiteCable& other = site_.cables[known->second];
            const auto far = [&](const SiteCable& one) {
                return one.a == device ? std::pair(one.b, one.port_b) : std::pair(one.a, one.port_a);
            };
            const auto [beyond, its_port] = far(cable);
            const bool elsewhere = beyond != far(other).first ||
                                   (!its_port.empty() && !far(other).second.empty() && its_port != far(other).second);
            // Bonds and breakouts share a name.
            if (elsewhere && site_.devices[device].adapter && !site_.infiniband) { continue; }
            // Files may name a far port differently; one file that names two of a switch states two cables.
            const bool two = elsewhere && is_trunk(site_, cable) && other.at.file == cable.at.file;
            const bool same = !two && std::minmax(other.a, other.b) == std::minmax(cable.a, cable.b);
            if (same) {
                if (other.megabits == 0) { other.megabits = cable.megabits; }
                if (other.megabits != cable.megabits && cable.megabits != 0 && first) {
                    contradict(
                        other, cable,
                        fmt::format("{} Gb/s here, {} Gb/s there", other.megabits / 1000, cable.megabits / 1000));
                }
                return;
            }
            contradict(other, cable, "port " + device_text(site_, device) + ":" + port + " has two cables");
        }
        at_port_.emplace(std::pair(cable.a, cable.port_a), site_.cables.size());
        at_port_.emplace(std::pair(cable.b, cable.port_b), site_.cables.size());
        site_.cables.push_back(std::move(cable));
    }

    void contradict(const SiteCable& one, const SiteCable& other, const std::string& what) {
        const std::string places = fmt::format(" ({}, {})", to_string(one.at), to_string(other.at));
        site_.findings.push_back({"contradiction", device_text(site_, other.a),
                                  cable_text(site_, one) + ", " + cable_text(site_, other),
                                  "two lines contradict each other: " + what + places, other.at});
    }

    // Whether a file names NVLink domains, as Slurm's blocks or by the UUIDs of their GPUs, and nothing else.
    static bool lists_domains(const Observations& seen) {
        return !seen.groups.empty() && std::ranges::all_of(seen.groups, &GroupSeen::block) && seen.hosts_of.empty();
    }

    // The hosts of an NVLink domain are the trays of a rack, which is one node; no switch of a network is above them.
    void take_domains(const Observations& seen) {
        std::size_t hosts = 0;
        for (const GroupSeen& group : seen.groups) {
            (void)host(group.name);
            hosts += group.hosts.size();
            site_.trays = std::max(site_.trays, group.hosts.size());
        }
        site_.notes.push_back(fmt::format(
            "{}: {} of {}, each of which is one node{}", seen.file, plural(seen.groups.size(), "NVLink domain"),
            plural(hosts, "host"), hosts == site_.trays * seen.groups.size() ? "" : "; guess: all as the largest"));
    }

    // Who is below which switch, where no cable says more.
    void take_groups(const Observations& seen) {
        for (const GroupSeen& group : seen.groups) {
            for (const std::string& name : group.hosts) { (void)host(host_and_nic(name).first); }
        }
        if (seen.groups.empty()) { return; }
        if (!site_.cables.empty()) {
            site_.groups.insert(site_.groups.end(), seen.groups.begin(), seen.groups.end());
            site_.notes.push_back(seen.file + ": its switches are known better from cables; its names of hosts count");
            return;
        }
        for (const GroupCable& cable :
             cables_of_groups(seen.groups, [this](const std::string& name) { return host_and_nic(name); })) {
            for (const DeviceSeen* device : {&cable.lower, &cable.upper}) { seen_.emplace(device->key, *device); }
            const std::uint32_t lower = end({cable.lower.key, ""}, cable.upper.at);
            const std::uint32_t upper = end({cable.upper.key, ""}, cable.upper.at);
            site_.cables.insert(site_.cables.end(), cable.count,
                                {lower, upper, "", "", 0, "", Trust::guess, cable.upper.at});
        }
        site_.notes.push_back(seen.file +
                              ": guess: one cable from each adapter, and as many up from a switch as come from below");
    }

    // A name in a group: a host, or in a tree of GUIDs one of its adapters.
    std::pair<std::string, std::string> host_and_nic(const std::string& name) const {
        const auto alias = host_of_guid_.find(normal_guid(name));
        return alias == host_of_guid_.end() ? std::pair(name, std::string("nic0"))
                                            : std::pair(alias->second, alias->first);
    }

    // By the GUID of an adapter, else by the name of the file, else a node that stands for all.
    std::string host_of(const NodeSeen& node, const std::string& file) const {
        if (!node.host.empty()) { return host_name(node.host); }
        for (const NicSeen& nic : node.nics) {
            for (const std::string& guid : nic.guids) {
                for (const std::string& id : {guid, mac_of_guid(guid)}) {
                    for (const auto* known : {&guid_host_, &host_of_guid_}) {
                        if (const auto found = known->find(id); found != known->end()) { return found->second; }
                    }
                }
            }
        }
        return host_in_path(file, [this](const std::string& word) { return hosts_.contains(word); });
    }

    void take_nodes(Observations& seen, const std::string& word) {
        // Where a fabric's cables end at hosts, each host is a node; alone, a domain is one.
        if (seen.one_domain && hosts_.empty()) {
            site_.notes.push_back(fmt::format("{}: one NVLink domain of {} hosts", seen.file, seen.nodes.size()));
            seen.nodes = {one_domain(std::move(seen.nodes))};
        }
        for (std::size_t i = 0; i < seen.nodes.size(); ++i) {
            NodeSeen& node = seen.nodes[i];
            const std::string name = host_of(node, seen.file);
            if (!name.empty()) {
                node.host = name;
                std::optional<NodeSeen>& own = site_.hosts[host(name)].inside;
                if (own) {
                    merge_node(*own, node, site_.findings);
                } else {
                    own = std::move(node);
                }
                continue;
            }
            // Files of different kinds about a nameless host are about the same one; several of a kind are several,
            // whose other files have a word of their path in common.
            node.host = word;
            const auto same = std::ranges::find_if(site_.unnamed, [&](const NodeSeen& other) {
                return i == 0 && other.host == word && !formats_[&other - site_.unnamed.data()].contains(seen.format);
            });
            if (same != site_.unnamed.end()) {
                formats_[same - site_.unnamed.begin()].insert(seen.format);
                merge_node(*same, node, site_.findings);
            } else {
                formats_[static_cast<std::ptrdiff_t>(site_.unnamed.size())].insert(seen.format);
                site_.unnamed.push_back(std::move(node));
            }
        }
    }

    static constexpr std::uint32_t no_host = 0xffffffff;
    Site site_;
    std::unordered_map<std::string, std::uint32_t> by_key_, by_name_, hosts_;
    std::unordered_map<std::string, DeviceSeen> seen_;
    std::unordered_map<std::string, std::string> host_of_guid_, guid_host_;
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> at_port_;
    std::map<std::ptrdiff_t, std::set<std::string_view>> formats_;
};

}  // namespace

std::string device_text(const Site& site, std::uint32_t device) {
    const SiteDevice& own = site.devices[device];
    return own.adapter && !own.nic.empty() ? own.name + " " + own.nic : own.name;
}

std::string unnamed_text(const Site& site, std::size_t unnamed) {
    const std::string& host = site.unnamed[unnamed].host;
    if (!host.empty()) { return host; }
    return site.unnamed.size() == 1 ? "the node" : fmt::format("node {}", unnamed);
}

std::string cable_text(const Site& site, const SiteCable& cable) {
    const auto end = [&](std::uint32_t device, const std::string& port) {
        const bool switch_port = !site.devices[device].adapter && !port.empty();
        return device_text(site, device) + (switch_port ? ":" + port : "");
    };
    return end(cable.a, cable.port_a) + " - " + end(cable.b, cable.port_b);
}

Site join(std::vector<Observations> all) { return Joiner().join(all); }

}  // namespace fabricast::inline site
