#pragma once
// The scenario that a site makes: its node template, its nodes, its fabric, with a comment where each came from.

#include <optional>
#include <string>
#include <vector>

#include "discovery/site/shaper.hpp"
#include "discovery/site/wiring.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline site {

struct DescribeOptions {
    std::string name = "my-cluster";
    std::string node;  // a template of the catalogue, where no file describes the nodes
    StatedParts said;
    std::string routing;  // a subnet manager's, or "ecmp": the fabric is drawn cable by cable; empty: as it suits
};

struct Description {
    std::string yaml;  // empty: no host is known, so no scenario can be made
    Wiring wiring;
    std::optional<NodeShape> shape;  // of most nodes, where a file describes one
    std::string node_block;          // `node: ...` of the cluster, with its indentation
    std::string node;                // "8 x h100-sxm", or the name of a template
    std::string fabric;              // "rail-optimized", "explicit", "none"
    std::string routing;             // of an explicit fabric: "ecmp", "up-down"; empty: the kind's own
    std::uint32_t nodes = 1;
    std::vector<std::string> asked;  // what no file said, one line each
};

// Throws InputError if nothing in the files can be a node of a cluster.
Description describe(Site& site, const Catalog& catalog, const DescribeOptions& options);

}  // namespace fabricast::inline site
