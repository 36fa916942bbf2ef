#include "sim/run/run_transfer.hpp"

// Messages between two devices: a row for each size.

#include <algorithm>
#include <utility>

#include "base/parallel_map_ordered.hpp"
#include "base/unit_text.hpp"
#include "sim/plan/transfers/exchange.hpp"
#include "sim/plan/transfers/host_fabric.hpp"
#include "sim/report/packet_traffic.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/trace.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast {

namespace {

Row row_of(const Exchange& e, Bytes size) {
    Row row;
    row.size = size;
    row.time_s = e.one_s;
    row.time_low80_s = e.one_low80;
    row.time_high80_s = e.one_high80;
    row.algbw = static_cast<double>(size.count) / e.one_s;
    row.busbw = e.bandwidth;
    row.algorithm = e.choice.path.transport;
    row.protocol = e.mode == MessageMode::rendezvous ? "asks" : "at-once";
    row.channels = e.choice.path.dma_crossings();
    row.bottleneck = e.bottleneck;
    return row;
}

std::string cores_note(const Exchange& e, Bytes size) {
    const auto share = [](double cores) { return text(cores, Dimension::ratio); };
    return "cores busy at " + text(size) + ": sender " + share(e.sender_cores) + ", receiver " +
           share(e.receiver_cores);
}

std::vector<std::string> notes_of(const Exchange& e, const TransferWorkload& workload, Bytes size) {
    std::vector<std::string> notes = e.choice.path.notes;
    if (!workload.beside.empty()) {
        notes.push_back("at " + text(size) + " all " + std::to_string(workload.beside.size() + 1) +
                        " pairs together move " + text(e.aggregate_bandwidth, Dimension::rate));
    }
    for (const Candidate& refused : e.choice.refused) {
        notes.push_back("not " + refused.transport + ": " + refused.attempt.refusal);
    }
    return notes;
}

}  // namespace

Report run(const TransferWorkload& workload, const Job& job) {
    const Fabric fabric = transfer_fabric(job.fabric, workload, job.catalog);
    for (const auto& [key, name] : {std::pair("workload.from", &workload.from), {"workload.to", &workload.to}}) {
        try {
            fabric.device(*name);
        } catch (const ClusterError& error) {
            fail_at(job.scenario, key, error.what());
        }
    }
    try {
        const Exchanger exchanger(workload, fabric, job.catalog, job.scenario.engine);
        Report report;
        report.figures = exchanger.figures();
        report.evidence_notes = {"transports rest on standards and on the figures that --json lists"};
        const auto one_size = [&](std::size_t i) { return exchanger.at(workload.sizes[i], job.events, job.watch); };
        std::string cores;
        parallel_map_ordered(workload.sizes.size(), job.options.threads, one_size, [&](Exchange done) {
            const Bytes size = workload.sizes[report.rows.size()];
            report.rows.push_back(row_of(done, size));
            cores = cores_note(done, size);
            merge_notes(report.notes, notes_of(done, workload, size));
            report.traffic.push_back(link_traffic(text(size), done.timeline, fabric));
            if (auto packets = packet_traffic(size, done.timeline, fabric)) {
                report.packets.push_back(std::move(*packets));
            }
            if (job.options.trace) {
                keep_all(done.schedule);
                const Timeline whole = replay(job.scenario.engine, fabric, done.schedule, job.events, job.watch);
                const auto spans = trace_spans(done.schedule, size, whole, fabric);
                report.trace.insert(report.trace.end(), spans.begin(), spans.end());
            }
            if (job.on_row) {
                job.on_row(report.rows.back());
            }
        });
        report.notes.push_back(cores);
        return report;
    } catch (const NoDataPath& error) {
        fail_at(job.scenario, "workload.transport", error.what());
    } catch (const ClusterError& error) {
        fail_at(job.scenario, "workload.beside", error.what());
    } catch (const CatalogError& error) {
        fail_at(job.scenario, "workload", error.what());
    }
}

}  // namespace fabricast
