#pragma once
// How often an edge set crosses each link, without visiting edges that symmetry makes equal: all pairs of 16,384 ranks
// are 268 million edges, but a few thousand paths are enough to count the crossings of every link.

#include <functional>
#include <optional>
#include <span>

#include "sim/engines/common/edges.hpp"

namespace fabricast::inline engine_common {

// Adds `times` crossings to each of `links`, by edges between nodes (`network`) or inside a node.
using CountCrossings = std::function<void(std::span<const LinkId> links, double times, bool network)>;

// Counts every edge of the set. Throws Unreachable.
void count_edges(const EdgeSet& edges, const Fabric& fabric, const CountCrossings& count);

// The detour that an edge takes; nullopt: its own path.
using WayRound = std::function<std::optional<PathQuery>(const PathQuery&)>;

// The same by visiting each edge: the slow version that count_edges must agree with, and its fallback; with `way_round`
// also round links that are down. Returns whether any edge took a detour.
bool count_each_edge(const EdgeSet& edges, const Fabric& fabric, const CountCrossings& count,
                     const WayRound& way_round = {});

}  // namespace fabricast::inline engine_common
