#pragma once
// What a check says, and what it costs.

#include <cstdint>
#include <string>
#include <utility>

#include "discovery/observation.hpp"

namespace fabricast::inline site {

// How what was found differs from a plan.
enum class PlanFault : std::uint8_t { none, missing, miswired, extra, unknown_switch };

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
    std::pair<double, double> down_per_up{};  // of a switch with too few cables up: as its peers, and as it is
    std::string cost{};  // "all_reduce at 1 GiB: 506 -> 45 GB/s"; empty until forecast_costs() fills it
};

}  // namespace fabricast::inline site
