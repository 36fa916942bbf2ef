#pragma once
// The result of `derive`: a scenario, and what was assumed.

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace fabricast {

// Two sites are siblings in a fit if these three words are equal. Curves with different mechanisms have different
// words: PCIe cards with peer-to-peer access or staged through host memory, or one network under two generations of its
// NCCL plugin.
struct SystemGroup {
    std::string generation;  // "hopper"
    std::string nccl_era;  // "<2.18" or ">=2.18": NCCL's latencies and kernels changed there (nccl-mechanisms.md §3.4)
    std::string fabric;    // inside the node for one node, else between nodes: "nvswitch", "pcie-host",
                           // "infiniband-ndr", "infiniband-hdr-host-staged", "slingshot-11-ofi-1.6"
    auto operator<=>(const SystemGroup&) const = default;
};

struct Derived {
    Scenario scenario;  // without sizes, which come from the curve
    std::uint32_t ranks = 0;
    SystemGroup group;
    std::vector<std::string> assumptions;
};

}  // namespace fabricast
