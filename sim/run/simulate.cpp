#include "sim/run/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel_map_ordered.hpp"
#include "models/evidence.hpp"
#include "sim/report/summarize.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/scaling.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline run {

namespace {

// The rows, one after another: a row for each size; for a training step with a scaling table, one for each cluster.
Report forecast_rows(const Job& job, const std::vector<ClusterRequest>& clusters, const Watch& watch,
                     const std::function<void(const Row&)>& on_row, const SimulateOptions& options) {
    const std::vector<Bytes> no_sizes(clusters.empty() ? 1 : clusters.size());
    const std::vector<Bytes>* const own_sizes = sizes_of(job.scenario.workload);
    const std::vector<Bytes>& sizes = own_sizes != nullptr ? *own_sizes : no_sizes;
    const bool by_cluster = own_sizes == nullptr && !clusters.empty();
    const auto row = [&](std::size_t i) {
        const ForecastOptions wanted{true, options.trace};
        return by_cluster ? forecast_step_on(clusters[i], job, watch, wanted) : forecast(job, sizes[i], watch, wanted);
    };
    Report report;
    parallel_map_ordered(sizes.size(), options.threads, row, [&](Report one) {
        append(report, std::move(one));
        if (on_row && !report.rows.empty()) { on_row(report.rows.back()); }
    });
    return report;
}

std::string changes_nothing(std::string_view keys, std::string_view only) {
    return fmt::format("keys of `{}:` change nothing here: only {} reads them", keys, only);
}

// What the scenario states and this run does not read.
std::vector<std::string> idle_keys(const Scenario& scenario) {
    std::vector<std::string> notes;
    const auto states = [&](std::string_view key) { return scenario.places.contains(key); };
    for (const Engine& engine : all_engines()) {
        const EngineTraits& other = traits_of(engine);
        if (engine.index() != scenario.engine.index() && !other.keys.empty() && states(other.keys)) {
            notes.push_back(changes_nothing(other.keys, fmt::format("engine {}", other.name)));
        }
    }
    if (std::holds_alternative<TransferWorkload>(scenario.workload) && states("library")) {
        notes.emplace_back("keys of `library:` change nothing here: a transfer reads none");
    }
    if (!std::holds_alternative<CollectiveWorkload>(scenario.workload) && states("launch")) {
        notes.emplace_back("keys of `launch:` change nothing here: only the calls of a collective are timed so");
    }
    if (const auto* packet = std::get_if<Packet>(&scenario.engine)) {
        using enum CongestionControl;
        for (const CongestionControl control : {infiniband, hpcc, swift, nscc}) {
            const std::string keys = fmt::format("packet.{}", to_string(control));
            if (packet->congestion_control != control && states(keys)) {
                notes.push_back(changes_nothing(keys, fmt::format("congestion_control {}", to_string(control))));
            }
        }
        if (!packet->trim && states("packet.trim_after")) {
            notes.emplace_back("`packet.trim_after` changes nothing here: only `trim: true` reads it");
        }
    }
    return notes;
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
        const std::vector<ClusterRequest> clusters = scaling_clusters(scenario, built.gpus_per_node());
        Report report = forecast_rows(job, clusters, watch, on_row, options);
        if (std::holds_alternative<CollectiveWorkload>(scenario.workload)) {
            report.points = scaling_points(clusters, job, watch, options.threads);
        }
        report.scenario = scenario.name;
        merge_notes(report.notes, scenario.notes);
        merge_notes(report.notes, idle_keys(scenario));
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
