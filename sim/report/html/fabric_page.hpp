#pragma once
// A whole cluster on one page, at any size: its racks and tiers of switches, and what hangs where.

#include <string>
#include <vector>

#include "sim/report/html/page.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report::html {

// Nodes whose adapters end at the same switches are one rack; switches of a tier that join the same racks or groups
// below are one box. Of more than `groups_a_row` racks those that the same switches join become one; of more than
// `boxes_a_row` the last box stands for the rest. `hosts` are the nodes' names; empty: "node3".
inline constexpr std::size_t boxes_a_row = 12;
Page fabric_page(const Fabric& fabric, const std::vector<std::string>& hosts);

}  // namespace fabricast::inline report::html
