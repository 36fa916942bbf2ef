#pragma once
// Where GPUs, adapters and drives hang, by the PCI tree: below a switch or a CPU, and with which link.

#include "discovery/site/shape_draft.hpp"

namespace fabricast::inline site {

void place_by_tree(ShapeDraft& draft);

}  // namespace fabricast::inline site
