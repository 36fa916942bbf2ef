#include "validate/curves/forecast.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/engines/common/accounting.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"

namespace fabricast::inline curves {
namespace {

// The fields of a scenario that `build` reads, as a key.
std::string cluster_key(const ClusterRequest& c) {
    const std::string parts = c.node_parts ? *c.node_parts->place.file : "";  // boxes of two files may be called alike
    return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", c.node, parts, c.nodes, c.gpus_per_node, c.fabric_kind,
                       c.link, c.switch_part, c.routing, c.tiers, c.oversubscription, fmt::join(c.node_options, "|"));
}

}  // namespace

const Fabric& FabricCache::at(const Scenario& scenario) {
    // The request does not contain an explicit graph, so file and name of the scenario identify it. The packets of a
    // transfer change its fabric.
    const auto* transfer = std::get_if<TransferWorkload>(&scenario.workload);
    const std::string key = fmt::format("{}|{}|{}", cluster_key(scenario.cluster),
                                        scenario.cluster.graph ? scenario.file + scenario.name : "",
                                        transfer == nullptr ? 0 : transfer->host.mtu.count);
    const std::lock_guard lock(guard_);
    std::unique_ptr<const Fabric>& fabric = fabrics_[key];
    if (fabric == nullptr) {
        Fabric built(build(scenario, *catalog_));
        fabric = std::make_unique<const Fabric>(fabric_for(scenario.workload, std::move(built), *catalog_));
    }
    return *fabric;
}

CurveForecaster::CurveForecaster(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog)
    : scenario_(scenario),
      fabric_(fabric),
      catalog_(catalog),
      events_(link_events(scenario, fabric, catalog)),
      planner_(planner_of(scenario.workload, {fabric, scenario.library, scenario.launch, catalog})) {}

double CurveForecaster::seconds(Bytes size) const {
    const Plan plan = planner_(size, {false});
    return timed_part(plan, replay(scenario_.engine, fabric_, plan, events_).timeline).seconds;
}

ForecastRow CurveForecaster::at(Bytes size) const {
    const Plan planned = planner_(size, {});
    const auto& plan = std::get<CollectiveFacts>(planned.facts);
    const Timeline timeline = replay(scenario_.engine, fabric_, planned, events_).timeline;
    const double seconds = timed_part(planned, timeline).seconds;
    const double least = least_seconds(planned.schedule, timeline, fabric_) / planned.timing->iterations;
    ForecastRow row;
    row.seconds = seconds;
    row.low80 = std::min(seconds, std::max(seconds * (1 + plan.relative_low80), least));
    row.high80 = seconds * (1 + plan.relative_high80);
    row.algorithm = to_string(plan.algorithm);
    row.protocol = to_string(plan.protocol);
    row.channels = plan.channels;
    row.evidence = plan.evidence;
    row.tuning_seconds = plan.tuning_seconds;
    for (const FigureUsed& figure : planned.figures) {
        // Only measurements determine these; figures that a source states are not fitted.
        const bool fitted = figure.origin == "fitted" || figure.origin == "estimated";
        if (fitted && has_costs(catalog_.parts.at(figure.part))) {
            row.costs.push_back(figure.part + "/" + figure.figure);
        }
    }
    return row;
}

}  // namespace fabricast::inline curves
