#pragma once
// From what a measurement file says in words to the scenario that forecasts it. Whatever the file leaves open becomes
// an assumption, printed; whatever no alias understands is refused by name.

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "validate/alias.hpp"
#include "validate/measurement.hpp"

namespace fabricast {

// What a fit may call a sibling: the same three words.
struct SystemGroup {
    std::string generation;  // "hopper"
    std::string nccl_era;  // "<2.18" or ">=2.18": NCCL's latencies and kernels changed there (nccl-mechanisms.md §3.4)
    std::string fabric;    // inside the node for one node, else between nodes: "nvswitch", "infiniband-ndr"
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

}  // namespace fabricast
