#include "discovery/site/colours.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/hash.hpp"

namespace fabricast::inline site {

namespace {

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
