#pragma once
// Finds another path around links that are down.

#include <functional>
#include <optional>

#include "topologies/fabric.hpp"

namespace fabricast::inline topologies {

// The first path without a down link among those that a switch or a transport library would try: other hashes between
// the same NICs, other NICs at either end (the nearest first), and inside a node the slower transports. nullopt if the
// query's own path has no down link, if an end is a switch, or if every alternative has one.
std::optional<PathQuery> detour(const Fabric& fabric, const PathQuery& query, const std::function<bool(LinkId)>& down);

}  // namespace fabricast::inline topologies
