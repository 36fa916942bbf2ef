#pragma once
// Another way round links that are down.

#include <functional>
#include <optional>

#include "topologies/fabric.hpp"

namespace fabricast {

// The first whole way of those that a switch or a transport library would try: other hashes of the same NICs' paths,
// other NICs of either end (the nearest first), and inside a node the slower transports. nullopt where the query's own
// path is whole, and where each of them crosses a link for which `down` holds.
std::optional<PathQuery> detour(const Fabric& fabric, const PathQuery& query, const std::function<bool(LinkId)>& down);

}  // namespace fabricast
