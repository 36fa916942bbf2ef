#pragma once
// A site's fabric in the words of a scenario: which hosts are the cluster's nodes and in which order, which adapter is
// which NIC, which switches join them.

#include <cstdint>
#include <string>
#include <vector>

#include "discovery/site/rails.hpp"
#include "discovery/site/site.hpp"

namespace fabricast::inline site {

// Which NIC an adapter is: `nic` of node `node`. Both are no_index if the device is not an adapter of the cluster.
struct Placed {
    std::uint32_t node = no_index, nic = no_index;
    bool in() const { return node != no_index; }
};

// Parallel cables between two devices are one bundle.
struct Bundle {
    std::uint32_t a = 0, b = 0;  // devices of the site; a switch is always b, and the higher tier
    std::uint32_t cables = 1;
    std::int64_t megabits = 0;  // of each
    std::string technology;
    Trust trust = Trust::fact;
};

struct Wiring {
    std::vector<std::uint32_t> hosts;  // of the site, in the order of the nodes
    std::vector<std::string> labels;   // of a node's NICs, in their order: "mlx5_0"
    std::vector<Placed> placed;        // by device of the site
    std::vector<int> tier;             // of a switch: 0 next to NICs; -1: no part of the cluster
    std::vector<Bundle> bundles;
    std::vector<std::uint32_t> leaf_of;  // by node * labels + nic: the switch; no_index without a cable

    std::uint32_t leaf(std::uint32_t node, std::uint32_t nic) const { return leaf_of[node * labels.size() + nic]; }
    std::size_t tiers() const;
    std::vector<std::uint32_t> switches_of(int of_tier) const;
};

// `known`: NICs of the node's shape. Their names decide the order if the fabric uses the same names; adapters that are
// not among them are left out, unless `known` is empty.
Wiring wire(Site& site, const std::vector<NicSeen>& known);

// "dgx-2" before "dgx-10".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace fabricast::inline site
