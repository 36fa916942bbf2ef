#include "discovery/site/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "base/hash.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline site {

namespace {

struct Counts {
    std::uint64_t unit = 0, spines = 0, down = 0, up = 0, ports = 0;
};

// What the generators are told, as the leaf with most nodes has it.
Counts counts(const Wiring& wiring) {
    Counts found;
    std::map<std::uint32_t, std::set<std::uint32_t>> nodes_of_leaf;
    std::map<std::uint32_t, std::array<std::uint64_t, 2>> cables;
    for (const Bundle& bundle : wiring.bundles) {
        const Placed& end = wiring.placed[bundle.a];
        if (end.in()) { nodes_of_leaf[bundle.b].insert(end.node); }
        cables[bundle.b][0] += bundle.cables;
        if (!end.in()) { cables[bundle.a][1] += bundle.cables; }
    }
    for (const auto& [leaf, nodes] : nodes_of_leaf) {
        if (nodes.size() <= found.unit) { continue; }
        found.unit = nodes.size();
        found.down = cables[leaf][0];
        found.up = cables[leaf][1];
    }
    for (const auto& [device, both] : cables) { found.ports = std::max(found.ports, both[0] + both[1]); }
    found.spines = wiring.switches_of(1).size();
    return found;
}

class Recogniser {
public:
    Recogniser(const Wiring& wiring, std::uint32_t nodes, const Candidates& candidates)
        : wiring_(wiring), nodes_(nodes), candidates_(candidates), own_(colours(wiring)), found_(counts(wiring)) {}

    std::optional<Recognised> run() {
        if (two_cables_each()) { return first({"dual-plane"}, trees(), candidates_.halved); }
        if (own_.size() == 1) { return first({"single-switch"}, {""}, candidates_.common); }
        // With one NIC a node there is one rail: a fat tree by any other name.
        const bool rails = wiring_.labels.size() > 1;
        const std::string plainest = rails ? "rail-optimized" : "fat-tree",
                          other = rails ? "fat-tree" : "rail-optimized";
        // Switches with adapters that are joined to each other are no tree.
        const bool flat = std::ranges::any_of(wiring_.bundles, [&](const Bundle& bundle) {
            return !wiring_.placed[bundle.a].in() && wiring_.tier[bundle.a] == wiring_.tier[bundle.b];
        });
        if (!flat) { return first({plainest, other, "rail-only"}, trees(), candidates_.common); }
        // Two or three switches that are joined are nobody's torus.
        if (own_.size() < 4) { return std::nullopt; }
        if (auto torus = first({"torus"}, tori(), candidates_.common)) { return torus; }
        return first({"dragonfly", "dragonfly-plus"}, groups(), candidates_.common);
    }

private:
    bool two_cables_each() const {
        std::map<std::uint32_t, int> leaves;
        for (const Bundle& bundle : wiring_.bundles) {
            if (wiring_.placed[bundle.a].in()) { ++leaves[bundle.a]; }
        }
        return !leaves.empty() && std::ranges::all_of(leaves, [](const auto& entry) { return entry.second == 2; });
    }

    std::optional<Recognised> first(const std::vector<std::string>& kinds, const std::vector<std::string>& sizes,
                                    const std::string& common) const {
        for (const std::string& kind : kinds) {
            std::set<std::string> tried;
            for (const std::string& ports : {std::string(), fmt::format(", radix: {}", found_.ports)}) {
                for (const std::string& size : sizes) {
                    const std::string keys = "kind: " + kind + common + size + ports;
                    if (tried.insert(keys).second && same_wiring(keys)) { return Recognised{kind, keys}; }
                }
            }
        }
        return std::nullopt;
    }

    std::string ratio() const {
        const bool uneven = found_.up > 0 && found_.down != found_.up;
        return uneven ? fmt::format(", oversubscription: {:.6g}",
                                    static_cast<double>(found_.down) / static_cast<double>(found_.up))
                      : "";
    }

    std::vector<std::string> trees() const {
        const std::string tiers = wiring_.tiers() > 1 ? fmt::format(", tiers: {}", wiring_.tiers()) : "";
        const std::string unit = fmt::format(", scalable_unit: {}", found_.unit);
        const std::string spines = found_.spines > 0 ? fmt::format(", spines: {}", found_.spines) : "";
        const std::string uneven = ratio();
        return {"",
                uneven,
                tiers + uneven,
                spines + uneven,
                unit + uneven,
                unit + spines + uneven,
                tiers + unit + spines + uneven};
    }

    static std::vector<std::uint64_t> divisors(std::uint64_t n) {
        std::vector<std::uint64_t> all;
        for (std::uint64_t d = 1; d <= n; ++d) {
            if (n % d == 0) { all.push_back(d); }
        }
        return all;
    }

    // Every three sizes whose product is the number of routers.
    std::vector<std::string> tori() const {
        std::vector<std::string> shapes = {""};
        const std::uint64_t n = own_.size();
        for (const std::uint64_t a : divisors(n)) {
            for (const std::uint64_t b : divisors(n / a)) {
                shapes.push_back(fmt::format(", shape: [{}, {}, {}]", a, b, n / a / b));
            }
        }
        return shapes;
    }

    // Groups of so many routers; how much the cables between groups carry, the adapters of a router tell.
    std::vector<std::string> groups() const {
        std::vector<std::string> shapes;
        const std::uint64_t leaves = wiring_.switches_of(0).size();
        for (const std::string& uneven : {std::string(), ratio()}) {
            shapes.push_back(uneven);
            for (const std::uint64_t each : divisors(leaves)) {
                shapes.push_back(fmt::format(", shape: [{}, {}, {}]{}", leaves / each, each, found_.unit, uneven));
            }
        }
        return shapes;
    }

    bool same_wiring(const std::string& keys) const {
        const std::optional<Fabric> candidate = candidates_.build(keys, nodes_);
        if (!candidate || candidate->nics_per_node() != wiring_.labels.size()) { return false; }
        return candidate->generator().switch_count() == own_.size() && colours(*candidate) == own_;
    }

    const Wiring& wiring_;
    std::uint32_t nodes_;
    const Candidates& candidates_;
    std::vector<std::uint64_t> own_;
    Counts found_;
};

// One edge of the graph of switches, from either side.
struct Edge {
    std::uint32_t at = 0;     // a switch
    std::uint64_t other = 0;  // a switch, or the colour of a NIC
    bool nic = false;
    std::uint32_t cables = 1;
};

std::uint64_t nic_colour(std::uint32_t node, std::uint32_t nic) { return mix((std::uint64_t{node} << 20U) + nic + 1); }

// Sums are the same in any order of the edges.
std::vector<std::uint64_t> refined(std::size_t switches, const std::vector<Edge>& edges) {
    std::vector<std::uint64_t> colour(switches, 1);
    for (int round = 0; round < 6; ++round) {
        std::vector<std::uint64_t> next(switches);
        for (const Edge& edge : edges) {
            const std::uint64_t other = edge.nic ? edge.other : colour[edge.other];
            next[edge.at] += mix(other) * edge.cables;
        }
        for (std::size_t s = 0; s < switches; ++s) { colour[s] = mix(next[s] ^ mix(colour[s])); }
    }
    std::ranges::sort(colour);
    return colour;
}

}  // namespace

std::optional<Recognised> recognise(const Wiring& wiring, std::uint32_t nodes, const Candidates& candidates) {
    return Recogniser(wiring, nodes, candidates).run();
}

std::vector<std::uint64_t> colours(const Wiring& wiring) {
    std::vector<std::uint32_t> number(wiring.tier.size(), no_index);
    std::uint32_t switches = 0;
    for (std::size_t d = 0; d < number.size(); ++d) {
        if (wiring.tier[d] >= 0) { number[d] = switches++; }
    }
    std::vector<Edge> edges;
    for (const Bundle& bundle : wiring.bundles) {
        const Placed& end = wiring.placed[bundle.a];
        const std::uint64_t other = end.in() ? nic_colour(end.node, end.nic) : number[bundle.a];
        edges.push_back({number[bundle.b], other, end.in(), bundle.cables});
        if (!end.in()) { edges.push_back({number[bundle.a], number[bundle.b], false, bundle.cables}); }
    }
    return refined(switches, edges);
}

std::vector<std::uint64_t> colours(const Fabric& fabric) {
    std::unordered_map<std::uint32_t, std::uint32_t> number;
    std::vector<Edge> edges;
    const auto number_of = [&](DeviceId device) {
        return number.emplace(index(device), static_cast<std::uint32_t>(number.size())).first->second;
    };
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        if (ends.resource || fabric.kind(ends.to) != DeviceKind::fabric_switch) { continue; }
        const DeviceKind from = fabric.kind(ends.from);
        if (from == DeviceKind::nic) {
            const std::uint64_t other = nic_colour(fabric.node_of(ends.from), fabric.local_index(ends.from));
            edges.push_back({number_of(ends.to), other, true, ends.cables});
        } else if (from == DeviceKind::fabric_switch) {
            edges.push_back({number_of(ends.to), number_of(ends.from), false, ends.cables});
        }
    }
    return refined(number.size(), edges);
}

}  // namespace fabricast::inline site
