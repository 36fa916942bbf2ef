#include "sim/plan/collectives/plan_call.hpp"

#include <algorithm>
#include <array>

namespace fabricast::inline collectives {

namespace {

using Dependency = Schedule::Dependency;

// Back-to-back iterations in a schedule; the last two are in the steady state.
constexpr int planned_iterations = 3;

// Delays of one host run in order; each lane is a separate host.
constexpr std::uint32_t issue_lane = 0, end_lane = 1;

// What the host spends on each iteration.
Duration issue_time(const Call& call, LaunchMode mode) {
    FigureReader& ledger = call.ledger;
    const Collective collective = call.workload.collective;
    const bool grouped = collective == Collective::all_to_all || collective == Collective::all_to_all_v;
    const double gpus = call.fabric.gpus_per_node();
    switch (mode) {
        case LaunchMode::process: return from_seconds(ledger.launch("process.issue"));
        case LaunchMode::thread:
            return from_seconds(ledger.launch(grouped ? "thread.issue_per_gpu_grouped" : "thread.issue_per_gpu") *
                                gpus);
        case LaunchMode::threads: return from_seconds(ledger.launch("threads.issue_per_gpu") * gpus);
        case LaunchMode::framework: return from_seconds(ledger.launch("framework.gap"));
    }
    return {};
}

}  // namespace

bool is_p2p(Collective collective) {
    constexpr std::array p2p{Collective::all_to_all, Collective::all_to_all_v, Collective::sendrecv, Collective::gather,
                             Collective::scatter};
    return std::ranges::find(p2p, collective) != p2p.end();
}

bool is_stepped(Algorithm algorithm) {
    constexpr std::array stepped{Algorithm::recursive_doubling, Algorithm::pairwise, Algorithm::hierarchical};
    return std::ranges::find(stepped, algorithm) != stepped.end();
}

LoweredCall plan_call(const Call& call, const LaunchSpec& spec, CallPlan& plan) {
    Schedule& schedule = plan.schedule;
    LoweredCall lowering = is_stepped(call.workload.algorithm) ? plan_steps(call, schedule)
                           : is_p2p(call.workload.collective)  ? plan_p2p(call, schedule)
                                                               : call.algorithm->plan(call, schedule);
    const Duration issue = issue_time(call, spec.mode);
    const DependsOn when = lowering.streams ? DependsOn::release : DependsOn::finish;
    std::vector<Dependency> before;
    for (int i = 0; i < planned_iterations; ++i) {
        const bool waits = spec.mode == LaunchMode::framework;  // for the previous iteration
        const OpId issued = schedule.add(Delay{issue_lane, issue}, waits ? before : std::vector<Dependency>{});
        before.push_back({issued, DependsOn::finish});
        const std::vector<OpId> last = lowering.body(schedule, before);
        before.clear();
        for (const OpId op : last) { before.push_back({op, when}); }
        // One operation ends the iteration: an empty delay after its last ones.
        schedule.kept.push_back(schedule.add(Delay{end_lane, {}}, before));
    }
    plan.iterations = planned_iterations;
    if (lowering.streams) {
        // The last call must reach the far end; this is waited for once, however many calls there are.
        for (Dependency& d : before) { d.when = DependsOn::finish; }
        schedule.kept.push_back(schedule.add(Delay{end_lane, {}}, before));
        plan.timed_calls = spec.iterations;
    }
    return lowering;
}

}  // namespace fabricast::inline collectives
