#pragma once
// Which leaf each NIC of a node is cabled to, and which leaves most nodes of its unit are cabled to.

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace fabricast::inline site {

inline constexpr std::uint32_t no_index = 0xffffffff;

using Leaves = std::vector<std::uint32_t>;  // of one node, by NIC; no_index without a cable

class Rails {
public:
    // `leaf_of` by node * nics + nic.
    Rails(const std::vector<std::uint32_t>& leaf_of, std::size_t nics);

    std::uint32_t nodes() const { return static_cast<std::uint32_t>(of_node_.size()); }
    const Leaves& leaves(std::uint32_t node) const { return of_node_[node]; }
    // Whether each NIC of the node has a cable.
    bool whole(std::uint32_t node) const;
    // The leaves of the unit with which this node shares more than half of its own; nullptr if the node is cabled like
    // its unit, or if no unit is known.
    const Leaves* unit_of(std::uint32_t node) const;

private:
    std::vector<Leaves> of_node_;
    std::map<Leaves, std::size_t> counts_;
    std::unordered_map<std::uint32_t, std::vector<const Leaves*>> at_leaf_;  // units, by each of their leaves
};

}  // namespace fabricast::inline site
