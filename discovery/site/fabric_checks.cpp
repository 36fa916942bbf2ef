#include "discovery/site/fabric_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "discovery/site/node_merge.hpp"
#include "discovery/site/rails.hpp"

namespace fabricast::inline site {

namespace {

// The entry of a map of counts with the highest, of equal ones the first.
template <class Counts> auto most_of(const Counts& counts) {
    return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
}

class FabricChecks {
public:
    FabricChecks(const Site& site, const Wiring& wiring) : site_(site), wiring_(wiring) {}

    std::vector<Finding> run() {
        check_rails();
        check_rates();
        check_uplinks();
        return std::move(findings_);
    }

private:
    std::string nic_text(std::uint32_t node, std::uint32_t nic) const {
        return site_.hosts[wiring_.hosts[node]].name + " " + wiring_.labels[nic];
    }

    // Nodes of one unit meet the same leaf with their k-th NIC. A node unlike its unit in a few of its NICs has these
    // miswired, or without a cable.
    void check_rails() {
        if (wiring_.tiers() == 0) { return; }
        const Rails rails(wiring_.leaf_of, wiring_.labels.size());
        for (std::uint32_t node = 0; node < rails.nodes(); ++node) {
            const Leaves& own = rails.leaves(node);
            const Leaves* unit = rails.unit_of(node);
            for (std::uint32_t nic = 0; nic < own.size(); ++nic) {
                if (own[nic] == no_index && rails.nodes() > 1) {
                    add_missing(node, nic, unit);
                } else if (unit != nullptr && own[nic] != (*unit)[nic]) {
                    add_miswired(node, nic, own[nic], (*unit)[nic]);
                }
            }
        }
    }

    void add_missing(std::uint32_t node, std::uint32_t nic, const Leaves* unit) {
        const std::string where = unit == nullptr ? "" : "; its peers' meet " + site_.devices[(*unit)[nic]].name;
        const SiteHost& host = site_.hosts[wiring_.hosts[node]];
        const SourceLocation at = host.adapters.empty() ? SourceLocation{} : site_.devices[host.adapters.front()].at;
        findings_.push_back({"rail", fmt::format("node{}.nic{}", node, nic), nic_text(node, nic),
                             fmt::format("{} is missing from its rail{}", nic_text(node, nic), where), at, 0});
    }

    void add_miswired(std::uint32_t node, std::uint32_t nic, std::uint32_t found, std::uint32_t expected) {
        // One is there: it is what the NIC meets its leaf by.
        const auto is_nic = [&](std::uint32_t end) {
            return wiring_.placed[end].node == node && wiring_.placed[end].nic == nic;
        };
        const SiteCable& cable =
            *std::ranges::find_if(site_.cables, [&](const SiteCable& one) { return is_nic(one.a) || is_nic(one.b); });
        findings_.push_back({"rail", fmt::format("node{}.nic{}", node, nic), cable_text(site_, cable),
                             fmt::format("{} meets {}, its peers' meet {}", nic_text(node, nic),
                                         site_.devices[found].name, site_.devices[expected].name),
                             cable.at});
    }

    // Cables between the same two tiers run at one rate.
    void check_rates() {
        const auto ours = [&](std::uint32_t end) {
            return site_.devices[end].adapter ? wiring_.placed[end].in() : wiring_.tier[end] >= 0;
        };
        std::map<std::pair<int, int>, std::map<std::int64_t, std::size_t>> counts;  // by tiers, then by rate
        const auto rates_of = [&](const SiteCable& cable) -> auto& {
            return counts[std::minmax(wiring_.tier[cable.a], wiring_.tier[cable.b])];
        };
        std::vector<const SiteCable*> cables;
        for (const SiteCable& cable : site_.cables) {
            if (cable.megabits == 0 || !ours(cable.a) || !ours(cable.b)) { continue; }
            ++rates_of(cable)[cable.megabits];
            cables.push_back(&cable);
        }
        for (const SiteCable* cable : cables) {
            const auto& rates = rates_of(*cable);
            std::size_t all = 0;
            for (const auto& [rate, count] : rates) { all += count; }
            const auto usual = most_of(rates);
            // A fifth of the cables slower is a part of the fabric that was built so.
            if (cable->megabits >= usual->first || rates.at(cable->megabits) * 5 > all) { continue; }
            findings_.push_back(
                {"cable", device_text(site_, cable->b), cable_text(site_, *cable),
                 fmt::format("runs at {} Gb/s, others of its kind at {} Gb/s",
                             static_cast<double>(cable->megabits) / 1000, static_cast<double>(usual->first) / 1000),
                 cable->at, static_cast<double>(cable->megabits) / static_cast<double>(usual->first), cable->trust});
            findings_.back().trunk = is_trunk(site_, *cable);
            findings_.back().said = {static_cast<double>(usual->first), static_cast<double>(cable->megabits)};
        }
    }

    struct SwitchCables {
        std::uint64_t down = 0, up = 0;
        std::map<std::uint32_t, std::uint64_t> to;  // up, by switch
    };

    // Switches of a tier that carry as much down have as many cables up; one with fewer holds its nodes back.
    void check_uplinks() {
        std::map<std::uint32_t, SwitchCables> switches;
        for (const Bundle& bundle : wiring_.bundles) {
            switches[bundle.b].down += bundle.cables;
            if (!wiring_.placed[bundle.a].in() && wiring_.tier[bundle.a] < wiring_.tier[bundle.b]) {
                switches[bundle.a].up += bundle.cables;
                switches[bundle.a].to[bundle.b] += bundle.cables;
            }
        }
        std::map<int, std::vector<std::pair<std::uint32_t, const SwitchCables*>>> tiers;
        for (const auto& [device, cables] : switches) { tiers[wiring_.tier[device]].emplace_back(device, &cables); }
        for (const auto& [tier, own] : tiers) {
            if (tier + 1 < static_cast<int>(wiring_.tiers())) { check_tier(own); }
        }
    }

    // The usual cables up for each number down, where at least two switches agree.
    static std::map<std::uint64_t, std::uint64_t> usual_uplinks(
        const std::vector<std::pair<std::uint32_t, const SwitchCables*>>& tier) {
        std::map<std::uint64_t, std::map<std::uint64_t, std::size_t>> counts;
        for (const auto& [device, cables] : tier) { ++counts[cables->down][cables->up]; }
        std::map<std::uint64_t, std::uint64_t> usual;
        for (const auto& [down, ups] : counts) {
            const auto most = most_of(ups);
            if (down > 0 && most->second >= 2) { usual[down] = most->first; }
        }
        return usual;
    }

    // A switch is held against those with as many cables down or, if none agree, the next with more, in proportion.
    void check_tier(const std::vector<std::pair<std::uint32_t, const SwitchCables*>>& tier) {
        const std::map<std::uint64_t, std::uint64_t> usual = usual_uplinks(tier);
        for (const auto& [device, cables] : tier) {
            const auto like = usual.lower_bound(cables->down);
            if (like == usual.end()) { continue; }
            const std::uint64_t expected = like->second * cables->down / like->first;
            if (cables->up >= expected) { continue; }
            const std::string& name = site_.devices[device].name;
            findings_.push_back({"uplinks", name, name + thinnest(*cables),
                                 fmt::format("{} cables up for {} down, its peers have {} for {}", cables->up,
                                             cables->down, like->second, like->first),
                                 site_.devices[device].at,
                                 static_cast<double>(cables->up) / static_cast<double>(expected)});
            findings_.back().uplinks = {cables->down, expected, cables->up};
        }
    }

    // " - spine3": the switch above to which fewest cables go, if it stands out.
    std::string thinnest(const SwitchCables& cables) const {
        const auto least = std::ranges::min_element(cables.to, {}, [](const auto& entry) { return entry.second; });
        const auto most = most_of(cables.to);
        if (least == cables.to.end() || least->second == most->second) { return {}; }
        return " - " + site_.devices[least->first].name;
    }

    const Site& site_;
    const Wiring& wiring_;
    std::vector<Finding> findings_;
};

const NicSeen* nic_of(const SiteHost& host, const SiteDevice& adapter) {
    const auto found = std::ranges::find(host.inside->nics, adapter.nic, &NicSeen::name);
    return found == host.inside->nics.end() ? nullptr : &*found;
}

// By the adapter's name, of every host.
void check_adapter_rates(const Site& site, std::vector<Finding>& findings) {
    for (const SiteCable& cable : site.cables) {
        for (const std::uint32_t end : {cable.a, cable.b}) {
            const SiteDevice& device = site.devices[end];
            if (!device.adapter || cable.megabits == 0 || cable.trust != Trust::fact) { continue; }
            const SiteHost& host = site.hosts[device.host];
            if (!host.inside || host.inside->trust != Trust::fact) { continue; }
            const NicSeen* nic = nic_of(host, device);
            const std::int64_t own = nic == nullptr ? 0 : nic->megabits / std::max(nic->ports, 1);
            if (own == 0 || !unlike_rates(own, cable.megabits)) { continue; }
            Finding finding{"contradiction", host.name + "." + end_text(*nic), cable_text(site, cable),
                            fmt::format("two files contradict each other: its port runs at {} Gb/s here, its cable at "
                                        "{} Gb/s there ({}, {})",
                                        own / 1000, cable.megabits / 1000, to_string(nic->at), to_string(cable.at)),
                            cable.at};
            finding.fact = Fact::rate;
            finding.said = std::minmax(static_cast<double>(cable.megabits), static_cast<double>(own), std::greater<>());
            finding.share = finding.said.second / finding.said.first;
            findings.push_back(std::move(finding));
        }
    }
}

// What cables say of who is below whom.
struct CabledHosts {
    std::unordered_map<std::string, std::uint32_t> hosts, switches;  // by name
    std::vector<std::set<std::uint32_t>> above;                      // by host: what its adapters' cables end at
    std::set<std::uint32_t> all;                                     // of any host
};

CabledHosts cabled_hosts(const Site& site) {
    CabledHosts cabled;
    cabled.above.resize(site.hosts.size());
    for (std::uint32_t host = 0; host < site.hosts.size(); ++host) {
        cabled.hosts.emplace(site.hosts[host].name, host);
    }
    for (std::uint32_t device = 0; device < site.devices.size(); ++device) {
        if (!site.devices[device].adapter) { cabled.switches.emplace(site.devices[device].name, device); }
    }
    for (const SiteCable& cable : site.cables) {
        for (const auto& [end, far] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
            if (!site.devices[end].adapter) { continue; }
            cabled.above[site.devices[end].host].insert(far);
            cabled.all.insert(far);
        }
    }
    return cabled;
}

// A switch of the tree that cables know too has the hosts below it that the tree names.
void check_group(const CabledHosts& cabled, const GroupSeen& group, std::vector<Finding>& findings) {
    const auto known = cabled.switches.find(lower_case(group.name));
    if (known == cabled.switches.end() || !cabled.all.contains(known->second)) { return; }
    for (const std::string& name : group.hosts) {
        const auto host = cabled.hosts.find(host_name(name));
        if (host == cabled.hosts.end()) { continue; }
        const std::set<std::uint32_t>& above = cabled.above[host->second];
        if (above.empty() || above.contains(known->second)) { continue; }
        findings.push_back({"contradiction", host->first, "",
                            fmt::format("two files contradict each other: the scheduler has it below {}, no cable "
                                        "joins the two ({})",
                                        known->first, to_string(group.at)),
                            group.at, 1, Trust::hint});
    }
}

}  // namespace

std::vector<Finding> check_fabric(const Site& site, const Wiring& wiring) {
    std::vector<Finding> findings = FabricChecks(site, wiring).run();
    const auto hint = [](const SiteCable& cable) { return cable.trust != Trust::fact; };
    if (std::ranges::all_of(site.cables, hint)) {  // a plan alone, which the fabric may not follow
        for (Finding& finding : findings) { finding.trust = Trust::hint; }
    }
    return findings;
}

std::vector<Finding> check_contradictions(const Site& site) {
    std::vector<Finding> findings;
    check_adapter_rates(site, findings);
    if (site.groups.empty()) { return findings; }
    const CabledHosts cabled = cabled_hosts(site);
    for (const GroupSeen& group : site.groups) { check_group(cabled, group, findings); }
    return findings;
}

}  // namespace fabricast::inline site
