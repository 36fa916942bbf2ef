#pragma once
// The fabric of a scenario: one of the kinds that fabricast can generate where its wiring is exactly the one found,
// else switch by switch and cable by cable.

#include <string>
#include <vector>

#include "discovery/site/wiring.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline site {

struct FabricText {
    std::string kind;  // "rail-optimized", "explicit", "none"
    std::string text;  // keys of `cluster`, with their indentation
    std::vector<std::string> asked;
};

// `node_block` is the cluster's `node: ...`, with which every candidate is built and compared. With a `routing` it is
// drawn cable by cable, since only such a fabric has a subnet manager's tables.
FabricText fabric_text(const Site& site, const Wiring& wiring, const Catalog& catalog, const std::string& node_block,
                       std::uint32_t nodes, const std::string& routing);

// The catalogue's link of most adapters' cables; empty if no file states their rate.
std::string fabric_link(const Site& site, const Wiring& wiring);

// A scenario's text with this cluster and one collective.
std::string scenario_text(const std::string& name, const std::string& cluster);

}  // namespace fabricast::inline site
