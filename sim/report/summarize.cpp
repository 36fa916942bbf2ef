#include "sim/report/summarize.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/engines/common/accounting.hpp"
#include "sim/report/summarize_trace.hpp"
#include "sim/report/summarize_training.hpp"
#include "sim/report/trace.hpp"

namespace fabricast::inline report {

namespace {

constexpr double busy_share = 0.5;  // below this, no link is what the collective waits for

// The longest time that any pipeline streams at its channels' own rate, in seconds.
double channel_time(const Schedule& schedule) {
    double longest = 0;
    for (const Pipeline& pipeline : schedule.pipelines) {
        longest = std::max(longest, pipeline.bytes_per_edge / pipeline.edge_rate_cap);
    }
    return longest;
}

double longest_delay(const Schedule& schedule) {
    Duration longest;
    for (const Delay& delay : schedule.delays) { longest = std::max(longest, delay.duration); }
    return to_seconds(longest);
}

// What congestion control and losses hold back the flows of engine packet for, if for at least half of their time, the
// longest first.
std::string held_back(const PacketUse& use) {
    std::vector<std::pair<double, std::string>> causes;
    for (const auto& [share, name] :
         {std::pair{use.throttled, "congestion control"}, std::pair{use.timed_out, "timeouts"}}) {
        if (share >= busy_share) { causes.emplace_back(-share, fmt::format("{} {}", name, percent(share))); }
    }
    std::ranges::sort(causes);
    return fmt::format("{}", fmt::join(names_of(causes, &std::pair<double, std::string>::second), ", "));
}

// "node0.gpu3 -> node0.nvswitch 97 %" if a link is busy for at least half of the time, and what holds back flows as
// long, whichever is more first. Otherwise what takes at least half of the time: "channel rate" (how fast the channels'
// copy loops run) or "issue" (host and launch); if none does, "latency".
std::string bottleneck(const ReplayedPlan& replayed) {
    const Timeline& timeline = replayed.timelines.timeline;
    const std::string link = busiest_text(timeline, replayed.fabric, busy_share);
    const std::string held = timeline.packets ? held_back(*timeline.packets) : "";
    if (!link.empty() && !held.empty()) {
        const PacketUse& use = *timeline.packets;
        const bool fuller = timeline.busiest.front().utilisation >= std::max(use.throttled, use.timed_out);
        return fuller ? link + ", " + held : held + ", " + link;
    }
    if (!link.empty() || !held.empty()) { return link + held; }
    const Plan& plan = replayed.plan;
    const double time = iteration_time(*plan.timing, timeline);
    if (channel_time(plan.schedule) >= busy_share * time) { return "channel rate"; }
    return longest_delay(plan.schedule) >= busy_share * time ? "issue" : "latency";
}

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
    for (const RefusedTransport& refused : e.choice.refused) {
        notes.push_back(fmt::format("not {}: {}", refused.transport, refused.reason));
    }
    if (largest) {
        const auto share = [](double cores) { return text(cores, Dimension::ratio); };
        notes.push_back(fmt::format("cores busy at {}: sender {}, receiver {}", text(e.size), share(e.sender_cores),
                                    share(e.receiver_cores)));
    }
    return notes;
}

// algbw = size / time and busbw = algbw * factor, as nccl-tests counts them (doc/PERFORMANCE.md).
void summarize(const CollectiveFacts& facts, const ReplayedPlan& replayed, Report& report) {
    const auto& [plan, timelines, fabric, catalog] = replayed;
    const Timeline& timeline = timelines.timeline;
    Row row;
    row.size = facts.size;
    const double least = least_seconds(plan.schedule, timeline, fabric) / plan.timing->iterations;
    // Nothing holds back the first rank of a chain in packets, so its calls may follow each other faster than the
    // chain's slowest link can carry them; the slots of NCCL's buffers would stop it.
    const bool chain_of_packets = timeline.packets && plan.timing->timed_calls > 0;
    row.time_s = std::max(iteration_time(*plan.timing, timeline), chain_of_packets ? least : 0);
    row.time_low80_s = std::min(row.time_s, std::max(row.time_s * (1 + facts.relative_low80), least));
    row.time_high80_s = row.time_s * (1 + facts.relative_high80);
    row.algbw = row.time_s > 0 ? static_cast<double>(facts.size.count) / row.time_s : 0;
    row.busbw = row.algbw * facts.bytes_moved_factor;
    row.algorithm = to_string(facts.algorithm);
    row.protocol = to_string(facts.protocol);
    row.channels = facts.channels;
    row.bottleneck = bottleneck(replayed);
    row.evidence = facts.evidence;
    report.rows.push_back(std::move(row));
    report.traffic.push_back(link_traffic(text(facts.size), replayed));
    add_packets(report, facts.size, timeline, fabric, plan.timing->iterations);
    if (!report.packets.empty()) {
        if (std::string note = calls_differ(report.packets.back()); !note.empty()) { report.notes.push_back(note); }
    }
    // Of packets it is known when they have arrived: docs/packet.md, "Where fluid and packets part".
    if (chain_of_packets) {
        report.notes.emplace_back(
            "calls along the chain follow each other in packets when the last byte has reached the second rank, with "
            "engine flow when it has left the first: small ones take up to a hop longer");
    }
}

std::vector<TraceSpan> spans_of(const CollectiveFacts& facts, const ReplayedPlan& replayed) {
    return trace_spans(replayed.plan.schedule, facts.size, replayed.timelines.timeline, replayed.fabric);
}

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

}  // namespace

Report summarize(const ReplayedPlan& replayed) {
    Report report;
    report.figures = replayed.plan.figures;
    report.notes = replayed.plan.notes;
    report.evidence_notes = replayed.plan.evidence_notes;
    std::visit([&](const auto& facts) { summarize(facts, replayed, report); }, replayed.plan.facts);
    return report;
}

void keep_for_trace(Plan& plan) {
    if (plan.timing) {  // the others keep what their traces show
        keep_all(plan.window ? *plan.window : plan.schedule);
    }
}

std::vector<TraceSpan> spans_of(const ReplayedPlan& replayed) {
    return std::visit([&](const auto& facts) { return spans_of(facts, replayed); }, replayed.plan.facts);
}

void append(Report& report, Report more) {
    std::ranges::move(more.rows, std::back_inserter(report.rows));
    for (StepRow& row : more.steps) {
        const auto per_gpu = [](const StepRow& step) { return step.samples_per_s / step.gpus; };
        row.efficiency = report.steps.empty() ? 1 : per_gpu(row) / per_gpu(report.steps.front());
        report.steps.push_back(std::move(row));
    }
    if (more.replay) { report.replay = std::move(more.replay); }
    merge_figures(report.figures, more.figures);
    merge_notes(report.evidence_notes, more.evidence_notes);
    merge_notes(report.notes, more.notes);
    merge_notes(report.idle_events, more.idle_events);
    std::ranges::move(more.traffic, std::back_inserter(report.traffic));
    std::ranges::move(more.packets, std::back_inserter(report.packets));
    std::ranges::move(more.trace, std::back_inserter(report.trace));
}

std::string weakest_evidence(const std::vector<Row>& rows) {
    assert(!rows.empty());
    const Evidence weakest = std::ranges::max_element(rows, {}, &Row::evidence)->evidence;
    std::vector<Bytes> sizes;
    for (const Row& row : rows) {
        if (row.evidence == weakest) { sizes.push_back(row.size); }
    }
    std::string words(to_string(weakest));
    if (sizes.size() < rows.size()) {
        const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
        words += fmt::format(", at {} of {} sizes ({}{})", sizes.size(), rows.size(), text(*low),
                             sizes.size() > 1 ? " to " + text(*high) : "");
    }
    return words;
}

}  // namespace fabricast::inline report
