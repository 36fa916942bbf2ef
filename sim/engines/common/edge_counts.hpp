#pragma once
// How often an edge set crosses each link, without visiting what symmetry makes equal: all pairs of 16,384 ranks are
// 268 million edges, but their links are crossed by sums that a few thousand paths tell.

#include <functional>
#include <optional>
#include <span>

#include "sim/engines/common/edges.hpp"

namespace fabricast {

// `times` more crossings of each of `links`, by edges inside a node or between nodes.
using CountCrossings = std::function<void(std::span<const LinkId> links, double times, bool network)>;

// Counts every edge of the set. Throws Unreachable.
void count_edges(const EdgeSet& edges, const Fabric& fabric, const CountCrossings& count);

// The same by visiting each edge: the oracle.
void count_each_edge(const EdgeSet& edges, const Fabric& fabric, const CountCrossings& count);

// Visits each edge on the way that `way_round` gives it, its own where that is nullopt. Returns whether any edge took
// another.
using WayRound = std::function<std::optional<PathQuery>(const PathQuery&)>;
bool count_detoured_edges(const EdgeSet& edges, const Fabric& fabric, const CountCrossings& count,
                          const WayRound& way_round);

}  // namespace fabricast
