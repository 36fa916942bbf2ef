#include "sim/run/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/summarize_training.hpp"
#include "sim/scenario/events.hpp"

namespace fabricast::inline run {

namespace {

// Whether all that the event changes are adapters and the network between nodes.
bool between_nodes_only(const Job& job, const LinkChange& change) {
    const auto outside = [&](DeviceId device) {
        const DeviceKind kind = job.fabric.kind(device);
        return kind == DeviceKind::nic || kind == DeviceKind::fabric_switch;
    };
    const std::vector<CablesOfLink> touched = cables_of(job.scenario, job.fabric, change);
    return std::ranges::all_of(touched, [&](const CablesOfLink& cables) {
        const LinkEnds ends = job.fabric.ends(cables.link);
        return outside(ends.from) || outside(ends.to);
    });
}

// Why an event changes nothing in this run; empty if it may.
std::string idle_reason(const Job& job, const LinkChange& change, Time end) {
    if (change.at >= end) { return "it comes after the end, at " + text(end - Time{}); }
    // A transfer inside a node may go through its adapter.
    const bool stays = job.fabric.node_count() == 1 && !std::holds_alternative<TransferWorkload>(job.scenario.workload);
    return stays && between_nodes_only(job, change) ? "one node sends nothing over its adapters" : "";
}

// Why the time does not show a temporary event: of the calls of a replay the last is timed, and the event, or each of
// its flaps, is over before or comes after. Empty if the time shows it.
std::string untimed_reason(const Plan& plan, const Timeline& timeline, const LinkChange& change) {
    if (!plan.timing || plan.timing->iterations < 2 || change.until.ps == 0) { return ""; }
    const Time begin = timed_part(plan, timeline).from;
    const Time end = timeline.kept[static_cast<std::size_t>(plan.timing->iterations) - 1].finish;
    for (std::uint32_t flap = 0; flap < change.times; ++flap) {
        const Duration later{change.every.ps * flap};
        if (change.at + later < end && Time{} + change.until + later > begin) { return ""; }
    }
    return fmt::format(
        "it is over before the call that is timed begins, the last of {}, from {} to {}: the time shows "
        "no loss{}; state `at` and `until` within that span, or no `until`",
        plan.timing->iterations, text(begin - Time{}), text(end - Time{}),
        plan.timing->timed_calls > 0 ? fmt::format(" but its share of an average of {} calls", plan.timing->timed_calls)
                                     : "");
}

// Notes the events that change nothing. The replay of the largest size is the longest.
void note_idle_events(const Job& job, Bytes size, const Plan& plan, const Timelines& timelines, Report& report) {
    const std::vector<Bytes>* const sizes = sizes_of(job.scenario.workload);
    if (job.events.empty() || (sizes != nullptr && size != std::ranges::max(*sizes))) { return; }
    const Time end = std::max(timelines.timeline.makespan, timelines.traffic().makespan);
    for (std::size_t i = 0; i < job.scenario.events.size(); ++i) {
        const std::string reason = idle_reason(job, job.scenario.events[i], end);
        const std::string untimed =
            reason.empty() ? untimed_reason(plan, timelines.timeline, job.scenario.events[i]) : "";
        if (!reason.empty()) {
            report.idle_events.push_back(fmt::format("events[{}] changes nothing here: {}", i, reason));
        } else if (!untimed.empty()) {
            report.idle_events.push_back(fmt::format("events[{}] is not timed: {}", i, untimed));
        }
    }
    merge_notes(report.notes, report.idle_events);
}

// Notes that packets choose among paths where there is one.
void note_single_way(const Job& job, const Timelines& timelines, Report& report) {
    const auto* packet = std::get_if<Packet>(&job.scenario.engine);
    const auto& packets = timelines.traffic().packets;
    if (packet == nullptr || packet->routing == PacketRouting::ecmp || !packets || packets->ways > 1) { return; }
    merge_notes(report.notes,
                {fmt::format("packet.routing: {} changes nothing here: no message has several paths{}",
                             to_string(packet->routing),
                             job.fabric.cluster().fabric.choice == PathChoice::adaptive
                                 ? "; cluster.fabric.routing: adaptive makes one link of equal cables, ecmp does not"
                                 : "")});
}

}  // namespace

Job::Job(Scenario scenario_of_job, const Catalog& catalog_of_job, const Fabric& built)
    : scenario(std::move(scenario_of_job)),
      catalog(catalog_of_job),
      events(link_events(scenario, built, catalog)),
      fabric(fabric_for(scenario.workload, built, catalog)),
      planner(planner_of(scenario.workload, {fabric, scenario.library, scenario.launch, catalog})) {}

Report forecast(const Job& job, Bytes size, const Watch& watch, const ForecastOptions& options) {
    Plan plan = job.planner(size, {options.judged, watch, options.groups});
    if (options.trace) { keep_for_trace(plan); }
    const Timelines timelines = replay(job.scenario.engine, job.fabric, plan, job.events, watch);
    Report report = summarize({plan, timelines, job.fabric, job.catalog});
    note_idle_events(job, size, plan, timelines, report);
    note_single_way(job, timelines, report);
    if (job.scenario.goodput) { add_goodput(report, *job.scenario.goodput, job.fabric, job.catalog); }
    if (options.trace) { report.trace = spans_of({plan, timelines, job.fabric, job.catalog}); }
    return report;
}

}  // namespace fabricast::inline run
