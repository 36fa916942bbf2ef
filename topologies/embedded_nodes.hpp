#pragma once
// The node templates of topologies/nodes, inside the program.

#include <span>

#include "base/embedded_file.hpp"

namespace fabricast {

std::span<const EmbeddedFile> embedded_nodes();  // topologies/nodes/*.yaml, by name

}  // namespace fabricast
