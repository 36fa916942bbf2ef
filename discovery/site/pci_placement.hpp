#pragma once
// Below which switch or CPU the GPUs, adapters and drives of a node stand, and over which link.

#include "discovery/site/node_shape.hpp"

namespace fabricast::inline site {

// By the PCI tree: below a switch or a CPU.
void place_by_tree(ShapeDraft& draft);

// By nvidia-smi's distances, where no PCI tree is known.
void place_by_pairs(ShapeDraft& draft);

}  // namespace fabricast::inline site
