#pragma once
// Schedules that several tests replay.

#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "tests/sim/engines/random_sharing.hpp"

namespace fabricast::testing {

// The first of every node.
inline std::vector<DeviceId> nics(const Fabric& fabric) {
    std::vector<DeviceId> devices;
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node) { devices.push_back(fabric.nic(node, 0)); }
    return devices;
}

// With the times of all its operations kept.
inline Schedule keep_all(Schedule schedule) {
    schedule.kept.clear();
    for (std::uint32_t op = 0; op < schedule.size(); ++op) { schedule.kept.push_back(OpId{op}); }
    return schedule;
}

// Devices in a ring: in each of `steps` steps every one sends `bytes` to the next, after its own and its left
// neighbour's previous step. Sizes are scaled by a hash in 1 +- jitter.
inline Schedule ring(const std::vector<DeviceId>& devices, std::uint32_t steps, std::int64_t bytes, double jitter = 0) {
    const auto n = static_cast<std::uint32_t>(devices.size());
    Schedule schedule;
    schedule.transfers.reserve(std::size_t{n} * steps);
    for (std::uint32_t i = 0; i < n; ++i) {
        schedule.connections.push_back({{.src = devices[i], .dst = devices[(i + 1) % n]}});
    }
    Random random;
    for (std::uint32_t step = 0; step < steps; ++step) {
        for (std::uint32_t i = 0; i < n; ++i) {
            const double scale = 1 + jitter * (2 * random.unit() - 1);
            const Transfer transfer{i, {static_cast<std::int64_t>(static_cast<double>(bytes) * scale)}, {}};
            if (step == 0) {
                schedule.add(transfer);
                continue;
            }
            const std::uint32_t before = (step - 1) * n;
            const Schedule::Dependency after[] = {{OpId{before + i}}, {OpId{before + (i + n - 1) % n}}};
            schedule.add(transfer, after);
        }
    }
    return schedule;
}

// Each device sends to each other, all at once or after random delays of up to `latest`.
inline Schedule all_to_all(const std::vector<DeviceId>& devices, std::int64_t bytes, double jitter = 0,
                           Duration latest = {}) {
    Schedule schedule;
    Random random;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t j = 0; j < devices.size(); ++j) {
            if (i == j) { continue; }
            const auto connection = static_cast<std::uint32_t>(schedule.connections.size());
            schedule.connections.push_back({{.src = devices[i], .dst = devices[j], .flow_label = connection}});
            const double scale = 1 + jitter * (2 * random.unit() - 1);
            const auto start = static_cast<std::int64_t>(static_cast<double>(latest.ps) * random.unit());
            schedule.add(
                Transfer{connection, {static_cast<std::int64_t>(static_cast<double>(bytes) * scale)}, {start}});
        }
    }
    return schedule;
}

}  // namespace fabricast::testing
