#pragma once
// Cables of a scheduler's tree or blocks, which say only who is below whom: one from each adapter, and as many up as
// come from below.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "discovery/observation.hpp"

namespace fabricast::inline site {

struct GroupCable {
    DeviceSeen lower, upper;
    std::uint64_t count = 1;
};

// `host_and_nic`: whose adapter a name in a group is. Blocks count only where there is no tree.
std::vector<GroupCable> cables_of_groups(
    const std::vector<GroupSeen>& groups,
    const std::function<std::pair<std::string, std::string>(const std::string&)>& host_and_nic);

}  // namespace fabricast::inline site
