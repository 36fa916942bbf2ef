#pragma once
// The result of `derive`: a scenario, and what was assumed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/yaml_node.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/score/compared_row.hpp"

namespace fabricast::inline curves {

// What a file leaves unsaid, and what it may well be instead of what the scenario takes.
struct Unsaid {
    struct Other {
        std::string value;
        Scenario scenario;
    };
    std::string what;   // "NCCL's version"
    double weight = 0;  // of all others together; what the scenario takes has the rest
    std::vector<Other> others;
};

// A box of cards with another number of sockets than the one that the scenario takes.
struct OtherBox {
    std::string node, sockets;
    std::optional<yaml::Node> parts;
};

struct Derived {
    Scenario scenario;  // without sizes, which come from the curve
    std::uint32_t ranks = 0;
    SystemGroup group;
    std::vector<std::string> assumptions;
    double spread = 1;  // the factor by which what was assumed of the machine widens an interval, either way
    bool gpu_guessed = false, nccl_guessed = false, launch_guessed = false, nics_guessed = false;
    std::optional<OtherBox> other_sockets;  // if the file does not say how many
    std::vector<Unsaid> unsaid;
};

}  // namespace fabricast::inline curves
