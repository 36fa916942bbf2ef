#pragma once
// The fabric as it would be without missing cables, which is what a scenario can say of it: its nodes are all alike.
// The inside of a node as it would be without a fault, or if one of two files is right about it.

#include <cstddef>
#include <optional>

#include "discovery/site/finding.hpp"
#include "discovery/site/site.hpp"
#include "discovery/site/wiring.hpp"

namespace fabricast::inline site {

// A NIC without a cable gets the one that its peers have; nodes for which no peer knows it are left out, the last ones
// in their order.
struct Mended {
    Wiring wiring;
    std::size_t cables = 0;  // that were added
    std::size_t left_out = 0;
};
Mended mended(const Wiring& wiring);

// The node that a device of it names: "node3.gpu5". Null if no file describes its inside.
const NodeSeen* node_of(const Site& site, const std::string& device);

// The device has what its peers have.
NodeSeen mended_node(NodeSeen node, const Finding& finding);

// The device has as many NVLinks or lanes as one of two files says; nullopt where a node cannot be drawn so.
std::optional<NodeSeen> with_fact(NodeSeen node, const Finding& finding, double value);

}  // namespace fabricast::inline site
