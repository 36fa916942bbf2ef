#pragma once
// Replays of small schedules on clusters whose figures are round: NVLink 100 GB/s and 1 us a path; NICs 25 GB/s and 800
// ns (two cables of 300 ns, a switch of 200 ns).

#include <utility>
#include <vector>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/support/tiny_clusters.hpp"

namespace fabricast::testing {

struct NamedEngine {
    const char* name;
    Engine engine;
};
inline const std::vector<NamedEngine> own_engines = {{"flow", Flow{}}, {"analytic", Analytic{}}};

inline std::vector<OpTimes> times(const Engine& engine, const Fabric& fabric, Schedule schedule) {
    return replay(engine, fabric, keep_all(std::move(schedule))).kept;
}

inline Connection between(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
    Connection connection;
    connection.path.src = fabric.gpu(from);
    connection.path.dst = fabric.gpu(to);
    return connection;
}

inline Fabric star(std::uint32_t nodes) {
    return Fabric(tiny::cluster(nodes, 1, tiny::fabric(FabricKind::single_switch)));
}

}  // namespace fabricast::testing
