#pragma once
// Who sends to whom in gather and scatter.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast::inline collectives {

// Edges from all others to the root (gather, `inward`), or to them (scatter); with `pxn`, between nodes on the
// receiver's rail. Each pair has so many connections.
EdgeSet star_edges(const Call& call, bool inward, bool pxn, std::uint32_t connections = 1);

}  // namespace fabricast::inline collectives
