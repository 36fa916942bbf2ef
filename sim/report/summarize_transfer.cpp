#include "sim/report/summarize_transfer.hpp"

#include <fmt/format.h>

#include "base/unit_text.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/report/packet_traffic.hpp"
#include "sim/report/trace.hpp"

namespace fabricast::inline report {

namespace {

Row row_of(const Exchange& e) {
    Row row;
    row.size = e.size;
    row.time_s = e.one_s;
    row.time_low80_s = e.one_low80;
    row.time_high80_s = e.one_high80;
    row.algbw = static_cast<double>(e.size.count) / e.one_s;
    row.busbw = e.bandwidth;
    row.algorithm = e.choice.path.transport;
    row.protocol = e.mode == MessageMode::rendezvous ? "asks" : "at-once";
    row.channels = e.choice.path.dma_crossings();
    row.bottleneck = e.bottleneck;
    return row;
}

std::vector<std::string> notes_of(const Exchange& e, bool largest) {
    std::vector<std::string> notes;
    if (e.pairs > 1) {
        notes.push_back(fmt::format("at {} all {} pairs together move {}", text(e.size), e.pairs,
                                    text(e.aggregate_bandwidth, Dimension::rate)));
    }
    for (const Candidate& refused : e.choice.refused) {
        notes.push_back(fmt::format("not {}: {}", refused.transport, refused.attempt.refusal));
    }
    if (largest) {
        const auto share = [](double cores) { return text(cores, Dimension::ratio); };
        notes.push_back(fmt::format("cores busy at {}: sender {}, receiver {}", text(e.size), share(e.sender_cores),
                                    share(e.receiver_cores)));
    }
    return notes;
}

}  // namespace

void summarize(const TransferFacts& facts, const ReplayedPlan& replayed, Report& report) {
    const auto& [plan, timelines, fabric, catalog] = replayed;
    const Exchange exchange = exchange_of(plan, timelines, fabric);
    report.rows.push_back(row_of(exchange));
    merge_notes(report.notes, notes_of(exchange, facts.largest));
    report.traffic.push_back(link_traffic(text(facts.size), replayed));
    add_packets(report, facts.size, timelines.traffic(), fabric);
}

std::vector<TraceSpan> spans_of(const TransferFacts& facts, const ReplayedPlan& replayed) {
    return trace_spans(*replayed.plan.window, facts.size, replayed.timelines.traffic(), replayed.fabric);
}

}  // namespace fabricast::inline report
