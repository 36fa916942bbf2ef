#pragma once
// The node templates of topologies/nodes, compiled into the program.

#include <span>

#include "base/embedded_file.hpp"

namespace fabricast::inline topologies {

std::span<const EmbeddedFile> embedded_nodes();  // topologies/nodes/*.yaml, sorted by name

}  // namespace fabricast::inline topologies
