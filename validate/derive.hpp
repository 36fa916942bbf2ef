#pragma once
// From what a measurement file says in words to the scenario that forecasts it. Whatever the file leaves open becomes
// an assumption, printed; whatever no alias understands is refused by name.

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"
#include "validate/alias.hpp"
#include "validate/measurement.hpp"

namespace fabricast {

// What a fit may call a sibling: the same three words. Where curves do not share a mechanism they share no word: cards
// peer to peer and cards staged through host memory, one network under two generations of its NCCL plugin.
struct SystemGroup {
    std::string generation;  // "hopper"
    std::string nccl_era;  // "<2.18" or ">=2.18": NCCL's latencies and kernels changed there (nccl-mechanisms.md §3.4)
    std::string fabric;    // inside the node for one node, else between nodes: "nvswitch", "pcie-host",
                           // "infiniband-ndr", "infiniband-hdr-host-staged", "slingshot-11-ofi-1.6"
    auto operator<=>(const SystemGroup&) const = default;
};

struct Derived {
    Scenario scenario;  // without sizes: the curve has them
    std::uint32_t ranks = 0;
    SystemGroup group;
    std::vector<std::string> assumptions;
};

// Throws ScenarioError at the statement that is not understood, with what is accepted and the nearest name.
Derived derive(const Measurement& measurement, const AliasTable& table);

// The group as the built fabric tells it: whether cards on PCIe reach each other or go through the host is in no
// file's words, but in the node that they stand for.
SystemGroup group_on(const Fabric& fabric, const Derived& derived);

}  // namespace fabricast
