#pragma once
// A change during the replay: failure, degradation or repair.

#include "base/units.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

inline constexpr DeviceId no_device{0xffffffff};

// From `at` on, the link keeps `share` of its capacity; at 0 it is down and traffic takes another path if there is one.
// If a device is named instead of a link, its kernels run at that share of their pace.
struct LinkEvent {
    Time at;
    LinkId link{};
    double share = 0;
    DeviceId device = no_device;

    bool of_device() const { return device != no_device; }
};

}  // namespace fabricast
