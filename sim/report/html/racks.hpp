#pragma once
// The nodes of a cluster and its switches tier by tier, as few boxes as a picture can show.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast::inline report::html {

// Nodes, or switches of one tier, that are drawn as one box.
struct Group {
    std::size_t row = 0;  // 0: nodes
    std::vector<std::string> members;
    std::size_t merged = 1;    // racks in it
    std::size_t switches = 0;  // behind its members: adaptive routing draws several as one
};

struct Bundle {
    std::uint64_t cables = 0;
    double capacity = 0;  // of all of them, one direction
    LinkClass cls = LinkClass::other;
};

inline constexpr std::size_t groups_a_row = 32;

struct Racks {
    std::vector<Group> groups;                                      // by row, nodes first
    std::map<std::pair<std::size_t, std::size_t>, Bundle> bundles;  // between two groups, the lower one first
    std::size_t rows = 1;
};

// A rack is the nodes whose adapters end at the same switches; switches that join the same boxes below are one group,
// and of more than `groups_a_row` racks those below the same spines too. `hosts`: the nodes' names, empty for node0,
// node1.
Racks racks_of(const Fabric& fabric, const std::vector<std::string>& hosts);

// Short enough for a box: "node3", "32 x 4 nodes".
std::string box_name(const Group& group);

}  // namespace fabricast::inline report::html
