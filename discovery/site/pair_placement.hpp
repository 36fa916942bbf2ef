#pragma once
// Where GPUs and adapters hang, by nvidia-smi's distances, where no PCI tree is known.

#include "discovery/site/shape_draft.hpp"

namespace fabricast::inline site {

void place_by_pairs(ShapeDraft& draft);

}  // namespace fabricast::inline site
