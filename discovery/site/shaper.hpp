#pragma once
// The shape of a node, from what its files say and what the user states.

#include "discovery/site/node_shape.hpp"

namespace fabricast::inline site {

// What the user states where the files say nothing.
struct StatedParts {
    std::string gpu, nic, cpu;
};

// A host with GPUs as a template. The order of GPUs is CUDA's, that of NICs is NCCL's.
NodeShape shape_of(const NodeSeen& node, const Catalog& catalog, const StatedParts& said);

}  // namespace fabricast::inline site
