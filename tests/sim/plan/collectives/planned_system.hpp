#pragma once
// A system of a line, and its plans, times and bandwidths.

#include <cstdint>
#include <map>
#include <string>

#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

namespace fabricast::test {

struct PlannedSystem {
    std::string node;
    std::uint32_t nodes = 1;
    std::uint32_t gpus = 0;  // of each node; 0: all
    std::string nccl = "2.27";
    Collective collective = Collective::all_reduce;
    Algorithm algorithm = Algorithm::automatic;
    Protocol protocol = Protocol::automatic;
    std::map<std::string, std::string> env = {};
    LaunchMode mode = LaunchMode::process;
};

inline Scenario scenario_of(const PlannedSystem& system) {
    Scenario s;
    s.cluster.node = system.node;
    s.cluster.nodes = system.nodes;
    s.cluster.gpus_per_node = system.gpus;
    collective_of(s).collective = system.collective;
    collective_of(s).algorithm = system.algorithm;
    collective_of(s).protocol = system.protocol;
    s.library.nccl = system.nccl;
    s.library.env = system.env;
    s.launch.mode = system.mode;
    return s;
}

inline CallPlan plan_of(const PlannedSystem& system, std::int64_t bytes, const Catalog& catalog = catalogue()) {
    const Scenario s = scenario_of(system);
    const Fabric fabric(build(s, catalog));
    return Planner(collective_of(s), fabric, s.library, s.launch, catalog).plan(Bytes{bytes});
}

inline double seconds_of(const PlannedSystem& system, std::int64_t bytes, const Catalog& catalog = catalogue(),
                         const Engine& engine = Analytic{}) {
    const Scenario s = scenario_of(system);
    const Fabric fabric(build(s, catalog));
    const CallPlan p = Planner(collective_of(s), fabric, s.library, s.launch, catalog).plan(Bytes{bytes});
    const Timeline t = replay(engine, fabric, p.schedule);
    REQUIRE(t.kept.size() >= 3);
    return to_seconds(t.kept[2].finish - t.kept[1].finish);
}

inline double busbw(const PlannedSystem& system, std::int64_t bytes) {
    const double factor = plan_of(system, bytes).bytes_moved_factor;
    return static_cast<double>(bytes) / seconds_of(system, bytes) * factor / 1e9;
}

inline Catalog with(const std::string& part, const std::string& figure, double factor) {
    Catalog changed = catalogue();
    changed.parts.at(part).figures.at(figure).value.at(0) *= factor;
    return changed;
}

}  // namespace fabricast::test
