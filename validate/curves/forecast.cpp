#include "validate/curves/forecast.hpp"

#include "sim/report/summarize.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"

namespace fabricast {
namespace {

// The fields of a scenario that `build` reads, as a key.
std::string cluster_key(const ClusterRequest& c) {
    std::string key = c.node + "|" + std::to_string(c.nodes) + "|" + std::to_string(c.gpus_per_node) + "|" +
                      c.fabric_kind + "|" + c.link + "|" + c.switch_part + "|" + c.routing + "|" +
                      std::to_string(c.tiers) + "|" + std::to_string(c.oversubscription);
    for (const auto& [name, value] : c.node_options) {
        key += "|" + name + "=" + value;
    }
    return key;
}

// Whether the figure is a cost that only measurements determine. Figures that a source states are not fitted.
bool is_cost(const Catalog& catalog, const FigureUsed& figure) {
    const std::string& kind = catalog.parts.at(figure.part).kind;
    if (figure.origin != "fitted" && figure.origin != "estimated") {
        return false;
    }
    return kind == "kernel" || kind == "transport" || kind == "launch";
}

}  // namespace

const Fabric& FabricCache::at(const Scenario& scenario) {
    // The request does not contain an explicit graph, so file and name of the scenario identify it.
    const std::string key =
        cluster_key(scenario.cluster) + (scenario.cluster.graph ? scenario.file + scenario.name : "");
    const std::lock_guard lock(guard_);
    std::unique_ptr<const Fabric>& fabric = fabrics_[key];
    if (fabric == nullptr) {
        fabric = std::make_unique<const Fabric>(build(scenario, *catalog_));
    }
    return *fabric;
}

CurveForecaster::CurveForecaster(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog)
    : scenario_(scenario),
      fabric_(fabric),
      catalog_(catalog),
      events_(link_events(scenario, fabric, catalog)),
      planner_(collective_of(scenario), fabric, scenario.library, scenario.launch, catalog) {}

double CurveForecaster::seconds(Bytes size) const {
    const Plan plan = planner_.plan(size, false);
    return iteration_time(plan, replay(scenario_.engine, fabric_, plan.schedule, events_));
}

ForecastRow CurveForecaster::at(Bytes size) const {
    const Plan plan = planner_.plan(size);
    const double seconds = iteration_time(plan, replay(scenario_.engine, fabric_, plan.schedule, events_));
    ForecastRow row;
    row.seconds = seconds;
    row.low80 = seconds * (1 + plan.relative_low80);
    row.high80 = seconds * (1 + plan.relative_high80);
    row.algorithm = to_string(plan.algorithm);
    row.protocol = to_string(plan.protocol);
    row.channels = plan.channels;
    row.evidence = plan.evidence;
    row.tuning_seconds = plan.tuning_seconds;
    for (const FigureUsed& figure : plan.figures) {
        if (is_cost(catalog_, figure)) {
            row.costs.push_back(figure.part + "/" + figure.figure);
        }
    }
    return row;
}

}  // namespace fabricast
