#include "discovery/site/fabric_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/text.hpp"
#include "discovery/site/device_parts.hpp"
#include "discovery/site/recognise.hpp"
#include "models/device_part.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"

namespace fabricast::inline site {

namespace {

using CableRate = std::pair<std::int64_t, std::string>;  // megabits per second, technology

// What most bundles of one kind have.
CableRate usual_rate(const Wiring& wiring, bool of_adapters) {
    std::map<CableRate, std::uint64_t> counts;
    for (const Bundle& bundle : wiring.bundles) {
        if (wiring.placed[bundle.a].in() == of_adapters && bundle.megabits > 0) {
            counts[{bundle.megabits, bundle.technology}] += bundle.cables;
        }
    }
    const auto usual = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return usual == counts.end() ? CableRate{} : usual->first;
}

std::string link_of(const Site& site, const CableRate& rate) {
    return network_link(rate.first, rate.second, site.infiniband || !rate.second.empty());
}

class FabricWriter {
public:
    FabricWriter(const Site& site, const Wiring& wiring, const Catalog& catalog, const std::string& node_block,
                 std::uint32_t nodes, const std::string& routing)
        : site_(site), wiring_(wiring), catalog_(catalog), node_block_(node_block), nodes_(nodes), routing_(routing) {}

    FabricText write() {
        if (wiring_.bundles.empty()) { return without_cables(); }
        const CableRate rate = usual_rate(wiring_, true), trunk = usual_rate(wiring_, false);
        link_ = link_of(site_, rate);
        if (link_.empty() && rate.first == 0) {
            made_.asked.emplace_back(
                "no file states the rate of the cables: the adapter's usual port is taken; add a file "
                "with rates (ibnetdiscover, a links.csv with BandWidth)");
        } else if (link_.empty()) {
            made_.asked.push_back(
                fmt::format("the catalogue has no link of {} Gb/s: the adapter's usual port stands for its family",
                            static_cast<double>(rate.first) / 1000));
        }
        if (trunk.first > 0 && trunk.first != rate.first) { trunk_ = link_of(site_, trunk); }
        choose_switch();
        ask_for_joints();
        if (!routing_.empty() || !uniform(rate.first, trunk.first) || !recognised(rate)) { write_explicit(); }
        return std::move(made_);
    }

private:
    FabricText without_cables() {
        made_.kind = nodes_ > 1 ? "rail-optimized" : "none";
        if (nodes_ > 1) {
            made_.text = "  fabric: {kind: rail-optimized}  # guess: no file says how the nodes are joined\n";
            made_.asked.emplace_back(
                "no file says how the nodes are joined: a rail-optimised fabric without "
                "oversubscription is a guess; add ibnetdiscover, LLDP or a links.csv");
        }
        return std::move(made_);
    }

    // A list of hosts' cables alone, or a dump of one part: nodes between which there is no way.
    void ask_for_joints() {
        const auto devices = static_cast<std::uint32_t>(site_.devices.size());
        std::vector<std::uint32_t> above(devices + wiring_.hosts.size());
        std::iota(above.begin(), above.end(), 0U);
        const auto top = [&](std::uint32_t at) {
            while (above[at] != at) { at = above[at] = above[above[at]]; }
            return at;
        };
        for (const Bundle& bundle : wiring_.bundles) {
            const Placed& placed = wiring_.placed[bundle.a];
            above[top(placed.in() ? devices + placed.node : bundle.a)] = top(bundle.b);
        }
        std::map<std::uint32_t, std::size_t> parts;
        for (std::uint32_t node = devices; node < above.size(); ++node) { ++parts[top(node)]; }
        if (parts.size() < 2) { return; }
        const auto most = std::ranges::max_element(parts, {}, [](const auto& part) { return part.second; });
        made_.asked.push_back(
            fmt::format("no cable joins the {} parts into which these nodes fall, {} the largest, so no job "
                        "across them can run; add a file that names the cables between switches",
                        parts.size(), plural(most->second, "node")));
    }

    // The part that most switches state; empty: the usual one of the link.
    void choose_switch() {
        std::map<std::string, std::size_t> parts;
        for (std::size_t d = 0; d < wiring_.tier.size(); ++d) {
            const std::string part = infiniband_switch_part(catalog_, site_.devices[d].part);
            if (wiring_.tier[d] >= 0 && !part.empty()) { ++parts[part]; }
        }
        const auto most = std::ranges::max_element(parts, {}, [](const auto& entry) { return entry.second; });
        if (most != parts.end()) { switch_ = most->first; }
        // A virtual or synthetic fabric may state a part that is slower than its own cables.
        if (!fabric_of("kind: rail-optimized" + common(link_), 2)) { switch_.clear(); }
    }

    std::string common(const std::string& link) const {
        std::string keys;
        if (!link.empty()) { keys += ", link: " + link; }
        if (!trunk_.empty() && trunk_ != link) { keys += ", trunk: " + trunk_; }
        if (!switch_.empty()) { keys += ", switch: " + switch_; }
        return keys;
    }

    std::optional<Fabric> fabric_of(const std::string& keys, std::uint32_t nodes) const {
        try {
            const std::string cluster = node_block_ + fmt::format("  nodes: {}\n  fabric: {{{}}}\n", nodes, keys);
            return Fabric(build(
                parse_scenario(scenario_text("candidate", cluster), "candidate.yaml", {"cluster.fabric.routing=ecmp"}),
                catalog_));
        } catch (const Error&) { return std::nullopt; }  // a candidate that cannot be built is none
    }

    bool uniform(std::int64_t rate, std::int64_t trunk) const {
        return std::ranges::all_of(wiring_.bundles, [&](const Bundle& bundle) {
            return bundle.megabits == 0 || bundle.megabits == (wiring_.placed[bundle.a].in() ? rate : trunk);
        });
    }

    bool recognised(const CableRate& rate) {
        const auto build_one = [&](const std::string& keys, std::uint32_t nodes) { return fabric_of(keys, nodes); };
        const auto found = recognise(wiring_, nodes_, {common(link_), common(doubled(rate)), build_one});
        if (!found) { return false; }
        made_.kind = found->kind;
        made_.text = fmt::format(
            "  # every cable found is one of this fabric's, and the other way round\n  fabric: {{{}}}\n", found->keys);
        return true;
    }

    // The link of an adapter whose cables have half of its rate each.
    std::string doubled(const CableRate& rate) const {
        const std::string whole = rate.second.starts_with("2x") ? "4x" + rate.second.substr(2) : rate.second;
        return link_of(site_, {2 * rate.first, whole});
    }

    // --- switch by switch

    static std::string quoted(const std::string& name) {
        const bool plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._/-") == std::string::npos &&
                           name.find_first_of("abcdefghijklmnopqrstuvwxyz") == 0;
        std::string text;
        for (const char c : name) { text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c); }
        return plain ? name : "\"" + text + "\"";
    }

    // `link` or `rate` where a cable differs from the fabric's usual link, and `count` of parallel ones.
    std::string how(const Bundle& bundle) const {
        const std::string own = link_of(site_, {bundle.megabits, bundle.technology});
        std::string rate = own.empty() ? fmt::format(", rate: {} Mb/s", bundle.megabits) : ", link: " + own;
        if (bundle.megabits == 0 || (!own.empty() && own == link_)) { rate.clear(); }
        return rate + (bundle.cables > 1 ? fmt::format(", count: {}", bundle.cables) : "");
    }

    // What the file states, else the usual one if it has as many ports: a switch of a scheduler's tree may be several.
    std::string part_of(std::uint32_t device) const {
        if (std::string stated = infiniband_switch_part(catalog_, site_.devices[device].part); !stated.empty()) {
            return stated;
        }
        const std::string& usual = switch_.empty() ? usual_switch_ : switch_;
        if (usual.empty()) { return ""; }
        const SwitchSpec spec = switch_spec(catalog_.at("switch", usual));
        const auto found = cables_.find(device);
        const std::int64_t cables = found == cables_.end() ? 0 : found->second;
        return cables > std::int64_t{spec.radix} * spec.split ? "" : usual;
    }

    void write_explicit() {
        made_.kind = "explicit";
        for (const Bundle& bundle : wiring_.bundles) {
            for (const std::uint32_t end : {bundle.a, bundle.b}) { cables_[end] += bundle.cables; }
        }
        if (const auto two = fabric_of("kind: rail-optimized" + common(link_), 2)) {
            usual_switch_ = two->cluster().fabric.switch_part;
            if (link_.empty()) { link_ = two->cluster().fabric.link.name; }  // the adapter's usual port
        }
        made_.text =
            "  # the fewest hops, and a hash among equal ways; `routing: min-hop`, `up-down` or `fat-tree`: a subnet "
            "manager's tables\n";
        made_.text +=
            fmt::format("  fabric: {{kind: explicit{}{}}}\n  graph:\n    devices:\n",
                        link_.empty() ? "" : ", link: " + link_, routing_.empty() ? "" : ", routing: " + routing_);
        for (std::size_t tier = 0; tier < wiring_.tiers(); ++tier) {
            std::vector<std::uint32_t> switches = wiring_.switches_of(static_cast<int>(tier));
            std::ranges::sort(switches, [&](std::uint32_t a, std::uint32_t b) {
                return natural_less(site_.devices[a].name, site_.devices[b].name);
            });
            for (const std::uint32_t device : switches) {
                const std::string part = part_of(device);
                made_.text += fmt::format("      - {{name: {}{}}}\n", quoted(site_.devices[device].name),
                                          part.empty() ? "" : ", part: " + part);
            }
        }
        made_.text += "    cables:\n";
        write_adapters();
        write_trunks();
    }

    // One line for the nodes side by side whose NIC of one place goes to one leaf.
    void write_adapters() {
        std::map<std::tuple<std::string, std::uint32_t, std::string>, std::vector<std::uint32_t>> lines;
        for (const Bundle& bundle : wiring_.bundles) {
            const Placed& end = wiring_.placed[bundle.a];
            if (!end.in()) { continue; }
            lines[{site_.devices[bundle.b].name, end.nic, how(bundle)}].push_back(end.node);
        }
        std::vector<std::tuple<std::uint32_t, std::uint32_t, std::string>> sorted;
        for (auto& [key, nodes] : lines) {
            const auto& [leaf, nic, rest] = key;
            std::ranges::sort(nodes);
            for (std::size_t first = 0; first < nodes.size();) {
                std::size_t last = first;
                while (last + 1 < nodes.size() && nodes[last + 1] == nodes[last] + 1) { ++last; }
                const std::string range = last == first ? "" : fmt::format("-{}", nodes[last]);
                sorted.emplace_back(nodes[first], nic,
                                    fmt::format("      - {{a: node{}{}.nic{}, b: {}{}}}\n", nodes[first], range, nic,
                                                quoted(leaf), rest));
                first = last + 1;
            }
        }
        std::ranges::sort(sorted);
        for (const auto& [node, nic, line] : sorted) { made_.text += line; }
    }

    void write_trunks() {
        for (const Bundle& bundle : wiring_.bundles) {
            if (wiring_.placed[bundle.a].in()) { continue; }
            made_.text += fmt::format("      - {{a: {}, b: {}{}}}\n", quoted(site_.devices[bundle.a].name),
                                      quoted(site_.devices[bundle.b].name), how(bundle));
        }
    }

    const Site& site_;
    const Wiring& wiring_;
    const Catalog& catalog_;
    std::map<std::uint32_t, std::int64_t> cables_;  // at each device of the site
    const std::string& node_block_;
    std::uint32_t nodes_;
    const std::string& routing_;
    std::string link_, trunk_, switch_, usual_switch_;
    FabricText made_;
};

}  // namespace

FabricText fabric_text(const Site& site, const Wiring& wiring, const Catalog& catalog, const std::string& node_block,
                       std::uint32_t nodes, const std::string& routing) {
    return FabricWriter(site, wiring, catalog, node_block, nodes, routing).write();
}

std::string fabric_link(const Site& site, const Wiring& wiring) { return link_of(site, usual_rate(wiring, true)); }

std::string scenario_text(const std::string& name, const std::string& cluster) {
    return fmt::format(
        "name: {}\ncluster:\n{}workload: {{kind: collective, collective: all_reduce, "
        "sizes: {{from: 1 MiB, to: 1 GiB, factor: 4}}}}\n",
        name, cluster);
}

}  // namespace fabricast::inline site
