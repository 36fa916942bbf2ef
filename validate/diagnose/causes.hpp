#pragma once
// What may be wrong with a system, each as a change to the healthy one: so that a cause is simulated, not guessed.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast {

// A system under suspicion: its scenario and the cluster that was built from it.
struct Suspect {
    Scenario scenario;
    Cluster cluster;
    std::uint32_t place = 0;  // of a single slow part, where a tree makes other curves of other places
};

// How bad a cause is, where it has degrees: the share of a rate that is left, or how many parts are gone.
enum class Degree : std::uint8_t { none, share, count };

struct Cause {
    std::string_view name;   // "nic-x8"
    std::string_view words;  // what is wrong
    std::string_view check;  // how to find out on the machine
    // Changes the suspect so; false where this system cannot have it. `degree` counts only where the cause has degrees.
    bool (*apply)(Suspect& suspect, double degree);
    Degree degree = Degree::none;
    std::uint32_t places = 1;  // that make other curves
};

// The degrees to try first; one, without meaning, where the cause has none.
const std::vector<double>& first_degrees(Degree degree);

// "one NIC or its cable is slow, at about 25 % of its rate".
std::string words_of(const Cause& cause, double degree);

const std::vector<Cause>& causes();

}  // namespace fabricast
