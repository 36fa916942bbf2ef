#pragma once
// What runs on one device shares its SMs and its memory bandwidth, each max-min fairly. Collectives come first: their
// channels are resident until they end, so kernels share what is left.

#include <map>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline engine_common {

// From `at` on kernels run at `share` of the pace of a healthy device.
struct PaceChange {
    Time at;
    double share = 1;
};

// What each device can share among its kernels, and the changes of pace of slow devices, each list in order of time.
struct DeviceLimits {
    double sms = 1;
    double memory_bandwidth = 0;  // bytes per second; 0: no limit known
    std::map<DeviceId, std::vector<PaceChange>> slow{};
};

// healthy_time: how long a healthy device would take for the work that this one does between `from` and `to`.
// when_passed: when this device, from `from` on, has done the work that takes a healthy one `healthy_s` seconds.
Duration healthy_time(const std::vector<PaceChange>& slow, Time from, Time to);
Time when_passed(const std::vector<PaceChange>& slow, Time from, double healthy_s);

// What running collectives occupy of a device.
struct Taken {
    double sms = 0;
    double memory_bandwidth = 0;  // bytes per second
};

// Seconds that each kernel takes from start to end with the share that the other kernels and `taken` leave it. Kernels
// always keep one SM and a hundredth of the bandwidth, so that each of them ends.
std::vector<double> kernel_times(const DeviceLimits& limits, const std::vector<const Compute*>& running,
                                 const Taken& taken = {});

}  // namespace fabricast::inline engine_common
