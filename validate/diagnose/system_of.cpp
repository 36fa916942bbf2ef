#include "validate/diagnose/system_of.hpp"

#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/build.hpp"
#include "validate/curves/curve.hpp"
#include "validate/curves/derive.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast::inline diagnosis {
SuspectedSystem system_of(const Measurement& measurement, const std::optional<Scenario>& cluster,
                          const std::string& node) {
    SuspectedSystem system;
    if (text(measurement.benchmark, "collective").empty()) {
        refuse(measurement.place, "only logs of collectives and of one direction's bandwidth are diagnosed",
               text(measurement.benchmark, "tool"), "nccl-tests, nvbandwidth, ib_write_bw, osu_bw ...");
    }
    // Derive needs a GPU: the node is named as one if there is none, and is replaced afterwards.
    Measurement named = measurement;
    if (text(named.system, "gpu").empty()) { named.system["gpu"] = {node, named.place}; }
    Derived derived = derive(named);
    if (cluster) {
        system.scenario = *cluster;
        collective_of(system.scenario) = collective_of(derived.scenario);
        system.scenario.launch = derived.scenario.launch;
        system.scenario.engine = derived.scenario.engine;
        system.assumptions = {"system and software: as " + cluster->file + " says, not as the log does"};
        return system;
    }
    system.scenario = derived.scenario;
    system.assumptions = derived.assumptions;
    if (!node.empty()) {
        system.scenario.cluster.node = node;
        system.assumptions.push_back("node: " + node + ", as said");
    }
    return system;
}

std::vector<TimedRow> rows_of(const Measurement& measurement, const SuspectedSystem& system, const Catalog& catalog) {
    const Fabric fabric(build(system.scenario, catalog));
    const auto said = measurement.benchmark.find("ranks");
    if (said != measurement.benchmark.end() && said->second.text != std::to_string(fabric.gpu_count())) {
        refuse(said->second.place, "the log has another number of ranks than the system", said->second.text,
               std::to_string(fabric.gpu_count()));
    }
    const Curve curve =
        read_curve(measurement, busbw_factor(collective_of(system.scenario).collective, fabric.gpu_count()));
    std::vector<TimedRow> rows;
    for (const CurvePoint& point : curve.points) {
        if (point.left_out.empty()) { rows.push_back({point.size, point.seconds}); }
    }
    if (rows.empty()) { throw NotACurve("not a size curve: no row counts"); }
    return rows;
}

}  // namespace fabricast::inline diagnosis
