#pragma once
// A change in time: failures, degradation and repair.

#include "models/units.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// From `at` on, the link keeps `share` of its capacity; at 0 it is down and traffic takes another path where there is
// one.
struct LinkEvent {
    Time at;
    LinkId link{};
    double share = 0;
};

}  // namespace fabricast
