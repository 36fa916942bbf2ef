#pragma once
// NVLinks as cables of a node: to NVSwitches, to CPUs, or a mesh between GPUs.

#include "discovery/site/node_shape.hpp"

namespace fabricast::inline site {

void join_by_nvlinks(ShapeDraft& draft);

}  // namespace fabricast::inline site
