#include "validate/curves/forecast.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/percentile.hpp"
#include "sim/engines/common/accounting.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"
#include "validate/score/errors.hpp"

namespace fabricast::inline curves {

namespace {

// The fields of a scenario that `build` reads, as a key.
std::string cluster_key(const ClusterRequest& c) {
    const std::string parts = c.node_parts ? *c.node_parts->place.file : "";  // boxes of two files may be called alike
    return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", c.node, parts, c.nodes, c.gpus_per_node, c.fabric_kind,
                       c.link, c.switch_part, c.routing, c.tiers, c.oversubscription, fmt::join(c.node_options, "|"));
}

// A forecast as a distribution of ln(seconds), normal on each side of its middle.
struct Component {
    double weight = 1, middle = 0, below = 0, above = 0;

    double share_below(double x) const {
        const double spread = std::max(x < middle ? below : above, 1e-9);
        return weight * 0.5 * std::erfc(-(x - middle) / spread / std::sqrt(2.0));
    }
};

Component component_of(double weight, const ForecastRow& row) {
    return {weight, std::log(row.seconds), std::log(row.seconds / row.low80) / normal_decile,
            std::log(row.high80 / row.seconds) / normal_decile};
}

// The value below which this share of the mixture lies.
double quantile(const std::vector<Component>& mixture, double share) {
    double low = 1e300, high = -1e300, total = 0;
    for (const Component& c : mixture) {
        low = std::min(low, c.middle - 6 * c.below - 1e-6);
        high = std::max(high, c.middle + 6 * c.above + 1e-6);
        total += c.weight;
    }
    for (int halving = 0; halving < 60; ++halving) {
        const double x = (low + high) / 2;
        double below = 0;
        for (const Component& c : mixture) { below += c.share_below(x); }
        (below < share * total ? low : high) = x;
    }
    return (low + high) / 2;
}

double width(const std::vector<Component>& mixture) { return quantile(mixture, 0.9) - quantile(mixture, 0.1); }

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

MixedForecaster::MixedForecaster(const Derived& derived, FabricCache& cache, const Catalog& catalog) {
    const auto add = [&](double weight, std::size_t unsaid, const Scenario& scenario) {
        parts_.push_back(
            {weight, unsaid, std::make_unique<const CurveForecaster>(scenario, cache.at(scenario), catalog)});
    };
    add(1, 0, derived.scenario);
    for (std::size_t u = 0; u < derived.unsaid.size(); ++u) {
        const Unsaid& unsaid = derived.unsaid[u];
        const double odds = unsaid.weight / (1 - unsaid.weight) / static_cast<double>(unsaid.others.size());
        for (const Unsaid::Other& other : unsaid.others) { add(odds, u, other.scenario); }
    }
}

MixedForecast MixedForecaster::at(Bytes size) const {
    MixedForecast forecast{parts_.front().forecaster->at(size), {}};
    if (parts_.size() == 1) { return forecast; }
    ForecastRow& row = forecast.row;
    std::vector<Component> mixture{component_of(1, row)};
    std::vector<WeightedValue> middles{{row.seconds, 1}};
    for (std::size_t p = 1; p < parts_.size(); ++p) {
        const ForecastRow other = parts_[p].forecaster->at(size);
        mixture.push_back(component_of(parts_[p].weight, other));
        middles.push_back({other.seconds, parts_[p].weight});
    }
    const double all = width(mixture);
    for (std::size_t unsaid = 0; unsaid <= parts_.back().unsaid; ++unsaid) {
        std::vector<Component> told;
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            if (p == 0 || parts_[p].unsaid != unsaid) { told.push_back(mixture[p]); }
        }
        forecast.narrowed.push_back(std::max(0.0, 1 - width(told) / all));
    }
    row.seconds = weighted_quantile(std::move(middles), 0.5);
    // What is not known never narrows an interval.
    row.low80 = std::min({row.low80, row.seconds, std::exp(quantile(mixture, 0.1))});
    row.high80 = std::max({row.high80, row.seconds, std::exp(quantile(mixture, 0.9))});
    return forecast;
}

double MixedForecaster::seconds(Bytes size) const {
    std::vector<WeightedValue> middles;
    for (const Part& part : parts_) { middles.push_back({part.forecaster->seconds(size), part.weight}); }
    return weighted_quantile(std::move(middles), 0.5);
}

}  // namespace fabricast::inline curves
