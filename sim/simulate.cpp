#include "sim/simulate.hpp"

#include <utility>

#include "sim/collectives/plan.hpp"
#include "sim/events.hpp"
#include "sim/in_order.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/trace.hpp"
#include "sim/scaling.hpp"
#include "sim/scenario/build.hpp"
#include "sim/trouble.hpp"

namespace fabricast {

namespace {

// One size: its row, and what stands beside the rows.
struct Forecast {
    Row row;
    std::vector<FigureUsed> figures;
    std::vector<std::string> evidence_notes, notes;
    std::vector<TraceSpan> trace;
};

Forecast forecast(const Engine& engine, const Planner& planner, const Fabric& fabric, Bytes size,
                  const std::vector<LinkEvent>& events, const Watch& watch, bool trace) {
    Plan planned = planner.plan(size);
    if (trace) {
        keep_all(planned.schedule);
    }
    const Timeline timeline = replay(engine, fabric, planned.schedule, events, watch);
    return {summarize(planned, size, timeline, fabric), std::move(planned.figures), std::move(planned.evidence_notes),
            std::move(planned.notes),
            trace ? trace_spans(planned.schedule, size, timeline, fabric) : std::vector<TraceSpan>{}};
}

void append(Report& report, Forecast forecast) {
    report.rows.push_back(std::move(forecast.row));
    merge_figures(report.figures, forecast.figures);
    merge_notes(report.evidence_notes, forecast.evidence_notes);
    merge_notes(report.notes, forecast.notes);
    report.trace.insert(report.trace.end(), std::make_move_iterator(forecast.trace.begin()),
                        std::make_move_iterator(forecast.trace.end()));
}

}  // namespace

Report simulate(const Scenario& scenario, const Catalog& catalog, const Watch& watch,
                const std::function<void(const Row&)>& on_row, const SimulateOptions& options) {
    return pointing_into(scenario, [&] {
        Report report;
        report.scenario = scenario.name;
        const Fabric fabric(build(scenario, catalog));
        check_ranks(scenario, fabric);
        const Planner planner(scenario.workload, fabric, scenario.library, scenario.launch, catalog);
        const std::vector<ClusterRequest> clusters = scaling_clusters(scenario, fabric.gpus_per_node());
        const std::vector<LinkEvent> events = link_events(scenario, fabric);
        const std::vector<Bytes>& sizes = scenario.workload.sizes;
        const auto run = [&](std::size_t i) {
            return forecast(scenario.engine, planner, fabric, sizes[i], events, watch, options.trace);
        };
        in_order(sizes.size(), options.threads, run, [&](Forecast done) {
            append(report, std::move(done));
            if (on_row) {
                on_row(report.rows.back());
            }
        });
        report.points = scaling_points(scenario, clusters, catalog, watch, options.threads);
        return report;
    });
}

}  // namespace fabricast
