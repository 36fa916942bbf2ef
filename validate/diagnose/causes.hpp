#pragma once
// Possible faults of a system, each as a change to the healthy system, so that its effect is simulated and not guessed.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline diagnosis {

// A system with a suspected fault: its scenario and the cluster built from it.
struct Suspect {
    Scenario scenario;
    Cluster cluster;
    std::uint32_t place = 0;  // position of a single slow part, if trees make the curve depend on it
};

// How severe a cause is, is given not at all, as the share of a rate that remains, or as the number of missing parts.
enum class Degree : std::uint8_t { none, share, count };

struct Cause {
    std::string_view name;   // "nic-x8"
    std::string_view words;  // what is wrong
    std::string_view check;  // how to find out on the machine
    // Applies the cause; returns false if this system cannot have it. `degree` is used only if the cause has degrees.
    bool (*apply)(Suspect& suspect, double degree);
    Degree degree = Degree::none;
    std::uint32_t places = 1;  // positions with different curves
};

// The degrees to try first; a single meaningless one if the cause has none.
const std::vector<double>& first_degrees(Degree degree);

// "one NIC or its cable is slow, at about 25 % of its rate".
std::string words_of(const Cause& cause, double degree);

const std::vector<Cause>& causes();

}  // namespace fabricast::inline diagnosis
