#pragma once
// Where GPUs, adapters and drives of a node hang, and with which link.

#include "discovery/site/node_shape.hpp"

namespace fabricast::inline site {

// By the PCI tree: below a switch or a CPU.
void place_by_tree(ShapeDraft& draft);

// By nvidia-smi's distances, where no PCI tree is known.
void place_by_pairs(ShapeDraft& draft);

}  // namespace fabricast::inline site
