#pragma once
// Replays of small schedules on clusters whose figures are round: NVLink 100 GB/s and 1 us a path; NICs 25 GB/s and 800
// ns (two cables of 300 ns, a switch of 200 ns).

#include <vector>

#include "sim/engines/engine.hpp"
#include "tests/support/tiny_clusters.hpp"

namespace fabricast::testing {

struct NamedEngine {
    const char* name;
    Engine engine;
};
inline const std::vector<NamedEngine> own_engines = {{"flow", Flow{}}, {"analytic", Analytic{}}};

inline void keep_all(Schedule& schedule) {
    schedule.kept.clear();
    for (std::uint32_t op = 0; op < schedule.size(); ++op) { schedule.kept.push_back(OpId{op}); }
}

inline std::vector<OpTimes> times(const Engine& engine, const Fabric& fabric, Schedule schedule) {
    keep_all(schedule);
    return replay(engine, fabric, schedule).kept;
}

inline Connection between(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
    Connection connection;
    connection.path.src = fabric.gpu(from);
    connection.path.dst = fabric.gpu(to);
    return connection;
}

inline std::vector<DeviceId> nics(const Fabric& fabric) {
    std::vector<DeviceId> devices;
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node) { devices.push_back(fabric.nic(node, 0)); }
    return devices;
}

inline Fabric star(std::uint32_t nodes) {
    return Fabric(tiny::cluster(nodes, 1, tiny::fabric(FabricKind::single_switch)));
}

}  // namespace fabricast::testing
