#include "discovery/site/group_cables.hpp"

#include <algorithm>
#include <map>

namespace fabricast::inline site {

namespace {

DeviceSeen switch_of(const std::string& name, const SourceLocation& at) {
    return {"group\n" + name, Role::fabric_switch, at, name};
}

// Parents before children need the children's counts: the list may be in any order, so it is gone over until it
// holds. A switch with several parents shares its cables among them.
void add_uplinks(const std::vector<GroupSeen>& groups, std::map<std::string, std::uint64_t>& below,
                 std::vector<GroupCable>& cables) {
    std::map<std::string, std::uint64_t> parents;
    for (const GroupSeen& group : groups) {
        for (const std::string& child : group.groups) { ++parents[child]; }
    }
    for (std::size_t round = 0; round < 8; ++round) {
        for (const GroupSeen& group : groups) {
            std::uint64_t sum = group.hosts.size();
            for (const std::string& child : group.groups) {
                sum += below[child] / std::max<std::uint64_t>(1, parents[child]);
            }
            below[group.name] = sum;
        }
    }
    for (const GroupSeen& group : groups) {
        for (const std::string& child : group.groups) {
            const std::uint64_t up = std::max<std::uint64_t>(1, below[child] / parents[child]);
            cables.push_back(
                {switch_of(child, group.at), switch_of(group.name, group.at), std::min<std::uint64_t>(up, 4096)});
        }
    }
}

}  // namespace

std::vector<GroupCable> cables_of_groups(
    const std::vector<GroupSeen>& groups,
    const std::function<std::pair<std::string, std::string>(const std::string&)>& host_and_nic) {
    const bool tree = std::ranges::any_of(groups, [](const GroupSeen& group) { return !group.block; });
    std::vector<GroupCable> cables;
    std::map<std::string, std::uint64_t> below;
    for (const GroupSeen& group : groups) {
        if (tree == group.block) { continue; }
        below[group.name] = group.hosts.size();
        for (const std::string& name : group.hosts) {
            const auto [own, nic] = host_and_nic(name);
            cables.push_back(
                {{"group\n" + own + "\n" + nic, Role::host, group.at, own, nic}, switch_of(group.name, group.at)});
        }
    }
    add_uplinks(groups, below, cables);
    return cables;
}

}  // namespace fabricast::inline site
