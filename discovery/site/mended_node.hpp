#pragma once
// The inside of a node as it would be without a fault, or if one of two files is right about it.

#include <optional>

#include "discovery/site/finding.hpp"
#include "discovery/site/site.hpp"

namespace fabricast::inline site {

// The node that a device of it names: "node3.gpu5". Null if no file describes its inside.
const NodeSeen* node_of(const Site& site, const std::string& device);

// The device has what its peers have.
NodeSeen mended_node(NodeSeen node, const Finding& finding);

// The device has as many NVLinks or lanes as one of two files says; nullopt where a node cannot be drawn so.
std::optional<NodeSeen> with_fact(NodeSeen node, const Finding& finding, double value);

}  // namespace fabricast::inline site
