#include "sim/run/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel_map_ordered.hpp"
#include "models/evidence.hpp"
#include "sim/report/summarize.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/idle_settings.hpp"
#include "sim/run/scaling.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline run {

namespace {

// The rows, one after another: a row for each size; for a training step with a scaling table, one for each cluster.
Report forecast_rows(const Job& job, const std::vector<ClusterRequest>& clusters, const Watch& watch,
                     const std::function<void(const Row&)>& on_row, const ForecastOptions& wanted,
                     std::size_t threads) {
    const std::vector<Bytes> no_sizes(clusters.empty() ? 1 : clusters.size());
    const std::vector<Bytes>* const own_sizes = sizes_of(job.scenario.workload);
    const std::vector<Bytes>& sizes = own_sizes != nullptr ? *own_sizes : no_sizes;
    const bool by_cluster = own_sizes == nullptr && !clusters.empty();
    const auto row = [&](std::size_t i) {
        return by_cluster ? forecast_step_on(clusters[i], job, watch, wanted) : forecast(job, sizes[i], watch, wanted);
    };
    Report report;
    parallel_map_ordered(sizes.size(), threads, row, [&](Report one) {
        append(report, std::move(one));
        if (on_row && !report.rows.empty()) { on_row(report.rows.back()); }
    });
    return report;
}

// The rows, and the points of a collective's scaling table.
Report rows_and_points(const Job& job, const Fabric& built, const Watch& watch,
                       const std::function<void(const Row&)>& on_row, const ForecastOptions& wanted,
                       std::size_t threads) {
    const std::vector<ClusterRequest> clusters = scaling_clusters(job.scenario, built.gpus_per_node());
    Report report = forecast_rows(job, clusters, watch, on_row, wanted, threads);
    if (std::holds_alternative<CollectiveWorkload>(job.scenario.workload)) {
        report.points = scaling_points(clusters, job, watch, threads);
    }
    return report;
}

// The times of all rows, and of the points of a collective's scaling table.
std::vector<double> times_in(const Report& report) {
    std::vector<double> times;
    std::ranges::transform(report.rows, std::back_inserter(times), &Row::time_s);
    std::ranges::transform(report.steps, std::back_inserter(times), &StepRow::step_time_s);
    if (report.replay) { times.push_back(report.replay->makespan_s); }
    std::ranges::transform(report.points, std::back_inserter(times), &ScalingPoint::busbw);
    return times;
}

// The same by the flow model, which is fast: whether a setting matters does not hang on the engine. Empty if it cannot
// be planned.
std::vector<double> flow_times(const Scenario& scenario, const Fabric& built, const Catalog& catalog,
                               const Watch& watch, std::size_t threads) {
    Scenario flow = scenario;
    flow.engine = Flow{};
    try {
        return times_in(rows_and_points(Job(flow, catalog, built), built, watch, {}, {.judged = false}, threads));
    } catch (const PlanError&) { return {}; }
}

}  // namespace

std::size_t pieces_of(const Scenario& scenario) {
    const std::vector<Bytes>* sizes = sizes_of(scenario.workload);
    const auto& scaling = scenario.scaling;
    return (sizes != nullptr ? sizes->size() : 1) +
           (scaling ? std::max(scaling->nodes.size(), scaling->gpus.size()) : 0);
}

Report simulate(const Scenario& written, const Catalog& catalog, const Watch& watch,
                const std::function<void(const Row&)>& on_row, const SimulateOptions& options) {
    return pointing_into(written, [&] {
        const Fabric built(build(written, catalog));
        const Job job(with_engine(written, built, catalog, options.threads), catalog, built);
        const Scenario& scenario = job.scenario;
        Report report =
            rows_and_points(job, built, watch, on_row, {.judged = true, .trace = options.trace}, options.threads);
        report.scenario = scenario.name;
        merge_notes(report.notes, scenario.notes);
        merge_notes(report.notes, idle_keys(scenario));
        merge_notes(report.notes, idle_in_place(scenario, report));
        std::vector<double> times;  // known already, if this was the flow model
        if (std::holds_alternative<Flow>(scenario.engine)) { times = times_in(report); }
        merge_notes(report.notes, idle_variables(scenario, report.notes, std::move(times), [&](const Scenario& other) {
                        return flow_times(other, built, catalog, {watch.stop}, options.threads);
                    }));
        if (std::string limit = built.generator().limit(); !limit.empty()) { report.notes.push_back(std::move(limit)); }
        return report;
    });
}

double seconds_of(const Report& report) {
    return !report.steps.empty()  ? report.steps.back().step_time_s
           : !report.rows.empty() ? report.rows.back().time_s
           : report.replay        ? report.replay->makespan_s
                                  : 0;
}

Scenario single_point(const Scenario& scenario) {
    Scenario one = scenario;
    one.scaling.reset();
    one.asserts.clear();
    if (std::vector<Bytes>* sizes = sizes_of(one.workload); sizes != nullptr) { *sizes = {std::ranges::max(*sizes)}; }
    return one;
}

}  // namespace fabricast::inline run
