#pragma once
// A node's shape as the YAML that node_reader.hpp describes: devices in ranges, cables that a person can read.

#include <cstddef>
#include <string>

#include "discovery/site/node_shape.hpp"

namespace fabricast::inline site {

// The template below `indent` blanks. `commented`: each part says where it came from. Without comments the text is the
// same for nodes alike.
std::string node_yaml(const NodeShape& shape, const std::string& name, std::size_t indent, bool commented);

}  // namespace fabricast::inline site
