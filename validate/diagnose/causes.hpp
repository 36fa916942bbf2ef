#pragma once
// What may be wrong with a system, each as a change to the healthy one: so that a cause is simulated, not guessed.

#include <string_view>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast {

// A system under suspicion: its scenario and the cluster that was built from it.
struct Suspect {
    Scenario scenario;
    Cluster cluster;
};

struct Cause {
    std::string_view name;   // "pcie-x8"
    std::string_view words;  // what is wrong
    std::string_view check;  // how to find out on the machine
    // Changes the suspect so; false where this system cannot have it.
    bool (*apply)(Suspect& suspect);
};

const std::vector<Cause>& causes();

}  // namespace fabricast
