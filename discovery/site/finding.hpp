#pragma once
// What a check says, and what it costs.

#include <cstdint>
#include <string>
#include <utility>

#include "discovery/observation.hpp"

namespace fabricast::inline site {

// How what was found differs from a plan.
enum class PlanFault : std::uint8_t { none, missing, miswired, exchanged, slower, extra, unknown_switch };

// What two files say differently.
enum class Fact : std::uint8_t { none, nvlinks, lanes, rate };

// Cables of a switch: down, up as its peers or a plan have them, and up as found.
struct Uplinks {
    std::uint64_t down = 0, usual = 0, found = 0;
};

// A thing that looks wrong, or that two files say differently.
struct Finding {
    std::string check;   // "nvlinks", "width", "socket", "rail", "uplinks", "cable", "plan", "contradiction"
    std::string device;  // "node3.gpu5", "leaf2"
    std::string cable;   // "leaf2:17 - dgx-04 mlx5_3"; empty: inside a node
    std::string message;
    SourceLocation at;
    double share = 1;  // what is left of the thing's capacity, for its cost
    Trust trust = Trust::fact;
    PlanFault plan = PlanFault::none;
    Uplinks uplinks{};   // of a switch with too few cables up, or a cable up that is missing
    bool trunk = false;  // the cable is one between switches
    std::string bus{};   // of a slot that is narrow or slow
    Fact fact = Fact::none;
    std::pair<double, double> said{};  // of a contradiction about one: what the two say
    std::string cost{};  // "all_reduce at 1 GiB: 506 -> 45 GB/s"; or why nothing; forecast_costs() fills it
};

}  // namespace fabricast::inline site
