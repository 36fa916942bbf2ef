#include "sim/run/jobs/leaf_sets.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace fabricast::inline jobs {

namespace {

std::vector<DeviceId> switches_of(const Fabric& fabric, std::uint32_t node) {
    std::vector<DeviceId> switches;
    for (std::uint32_t nic = 0; nic < fabric.nics_per_node() && fabric.node_count() > 1; ++nic) {
        const std::uint32_t other = node == 0 ? 1 : 0;
        const Path path = fabric.path({.src = fabric.nic(node, nic), .dst = fabric.nic(other, nic)});
        switches.push_back(fabric.ends(path.links[0]).to);
    }
    return switches;
}

}  // namespace

LeafSets leaf_sets(const Fabric& fabric, const Nodes& among) {
    LeafSets sets;
    sets.of_node.assign(fabric.node_count(), 0);
    std::map<std::vector<DeviceId>, std::uint32_t> numbers;
    Nodes first;
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node) {
        const auto [place, fresh] =
            numbers.try_emplace(switches_of(fabric, node), static_cast<std::uint32_t>(numbers.size()));
        if (fresh) { first.push_back(node); }
        sets.of_node[node] = place->second;
    }
    sets.nodes.resize(first.size());
    for (const std::uint32_t node : among) { sets.nodes[sets.of_node[node]].push_back(node); }
    for (const std::uint32_t a : first) {
        auto& row = sets.distance.emplace_back();
        for (const std::uint32_t b : first) {
            std::size_t links = 0;
            for (std::uint32_t nic = 0; nic < fabric.nics_per_node() && a != b; ++nic) {
                links += fabric.path({.src = fabric.nic(a, nic), .dst = fabric.nic(b, nic)}).count;
            }
            row.push_back(static_cast<std::uint32_t>(links));
        }
    }
    return sets;
}

Sequence packed(const LeafSets& sets, std::vector<std::size_t> free, std::size_t count, std::uint32_t from) {
    Sequence sequence;
    std::vector<std::uint32_t> far(sets.nodes.size(), 0);
    for (std::uint32_t next = from; sequence.size() < count;) {
        const std::size_t taken = std::min(free[next], count - sequence.size());
        sequence.insert(sequence.end(), taken, next);
        free[next] -= taken;
        for (std::size_t s = 0; s < far.size(); ++s) { far[s] = std::max(far[s], sets.distance[next][s]); }
        const std::size_t left = count - sequence.size();
        const auto rank = [&](std::size_t s) {
            const bool fits = free[s] >= left;
            return std::tuple(free[s] == 0, far[s], !fits, fits ? free[s] : sets.of_node.size() - free[s], s);
        };
        for (std::size_t s = 0; s < far.size(); ++s) {
            if (rank(s) < rank(next)) { next = static_cast<std::uint32_t>(s); }
        }
    }
    return sequence;
}

Sequence interleaved(const LeafSets& sets, std::vector<std::size_t> free, std::size_t count, std::uint32_t from) {
    Sequence sequence;
    std::vector<std::size_t> used(free.size());
    for (std::uint32_t next = from; sequence.size() < count;) {
        sequence.push_back(next);
        --free[next];
        ++used[next];
        const auto rank = [&](std::size_t s) {
            return std::tuple(free[s] == 0, ~sets.distance[sequence.back()][s], used[s], s);
        };
        for (std::size_t s = 0; s < free.size(); ++s) {
            if (rank(s) < rank(next)) { next = static_cast<std::uint32_t>(s); }
        }
    }
    return sequence;
}

}  // namespace fabricast::inline jobs
