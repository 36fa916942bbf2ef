#include "sim/run/run_collective.hpp"

// One collective: a row for each size, then the scaling table.

#include <optional>
#include <utility>

#include "base/parallel_map_ordered.hpp"
#include "base/unit_text.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/report/packet_traffic.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/trace.hpp"
#include "sim/run/scaling.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast {

namespace {

// The forecast of one size: its row, and what the report needs in addition to the row.
struct Forecast {
    Row row;
    std::vector<FigureUsed> figures;
    std::vector<std::string> evidence_notes, notes;
    std::vector<TraceSpan> trace;
    LinkTraffic traffic;
    std::optional<PacketTraffic> packets;
};

Forecast forecast(const Planner& planner, Bytes size, const Job& job) {
    Plan planned = planner.plan(size);
    const bool trace = job.options.trace;
    if (trace) {
        keep_all(planned.schedule);
    }
    const Timeline timeline = replay(job.scenario.engine, job.fabric, planned.schedule, job.events, job.watch);
    return {summarize(planned, size, timeline, job.fabric),
            std::move(planned.figures),
            std::move(planned.evidence_notes),
            std::move(planned.notes),
            trace ? trace_spans(planned.schedule, size, timeline, job.fabric) : std::vector<TraceSpan>{},
            link_traffic(text(size), timeline, job.fabric),
            packet_traffic(size, timeline, job.fabric, planned.iterations)};
}

void append(Report& report, Forecast forecast) {
    report.rows.push_back(std::move(forecast.row));
    report.traffic.push_back(std::move(forecast.traffic));
    if (forecast.packets) {
        report.packets.push_back(std::move(*forecast.packets));
    }
    merge_figures(report.figures, forecast.figures);
    merge_notes(report.evidence_notes, forecast.evidence_notes);
    merge_notes(report.notes, forecast.notes);
    report.trace.insert(report.trace.end(), std::make_move_iterator(forecast.trace.begin()),
                        std::make_move_iterator(forecast.trace.end()));
}

}  // namespace

Report run(const CollectiveWorkload& workload, const Job& job) {
    check_ranks(job.scenario, job.fabric);
    Report report;
    const Planner planner(workload, job.fabric, job.scenario.library, job.scenario.launch, job.catalog);
    const std::vector<ClusterRequest> clusters = scaling_clusters(job.scenario, job.fabric.gpus_per_node());
    const auto one_size = [&](std::size_t i) { return forecast(planner, workload.sizes[i], job); };
    parallel_map_ordered(workload.sizes.size(), job.options.threads, one_size, [&](Forecast done) {
        append(report, std::move(done));
        if (job.on_row) {
            job.on_row(report.rows.back());
        }
    });
    report.points = scaling_points(job.scenario, clusters, job.catalog, job.watch, job.options.threads);
    return report;
}

}  // namespace fabricast
