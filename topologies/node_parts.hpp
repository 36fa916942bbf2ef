#pragma once
// A node told by its parts (docs/catalogue.md, "A node made of parts"), in place of its devices and cables. What is
// left out follows from the parts. `devices`, `cables` and `mesh` of node_reader.hpp may stand beside its keys, and
// come behind what they make.

#include "base/yaml.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline topologies {

// Whether the node is told by its parts: `gpus` is a map.
bool told_by_parts(const yaml::Node& node);

// The same node as a template with devices and cables, every value at the place of what it follows from. Throws
// InputError at the value that is wrong or contradicts another. Precondition: told_by_parts(node).
yaml::Node written_out(const yaml::Node& node, const Catalog& catalog);

}  // namespace fabricast::inline topologies
