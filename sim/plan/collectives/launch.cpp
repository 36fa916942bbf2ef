#include "sim/plan/collectives/launch.hpp"

// Iterations follow each other as nccl-tests posts them: the host runs ahead, and the stream runs one kernel at a time.

namespace fabricast::inline collectives {

namespace {

using Dependency = Schedule::Dependency;

// Back-to-back iterations in a schedule; the last two are in the steady state.
constexpr int planned_iterations = 3;

// Delays of one host run in order; each lane is a separate host.
constexpr std::uint32_t issue_lane = 0, end_lane = 1;

// What the host spends on each iteration, and whether it first waits for the previous one.
struct Launch {
    Duration issue;
    bool waits = false;
};

Launch launch_cost(FigureReader& ledger, const LaunchSpec& launch, const Fabric& fabric, Collective collective) {
    const bool grouped = collective == Collective::all_to_all || collective == Collective::all_to_all_v;
    switch (launch.mode) {
        case LaunchMode::process: return {from_seconds(ledger.launch("process.issue")), false};
        case LaunchMode::thread: {
            const double per_gpu = ledger.launch(grouped ? "thread.issue_per_gpu_grouped" : "thread.issue_per_gpu");
            return {from_seconds(per_gpu * fabric.gpus_per_node()), false};
        }
        case LaunchMode::threads:
            return {from_seconds(ledger.launch("threads.issue_per_gpu") * fabric.gpus_per_node()), false};
        case LaunchMode::framework: return {from_seconds(ledger.launch("framework.gap")), true};
    }
    return {};
}

}  // namespace

void launch_iterations(const Call& call, const LaunchSpec& spec, const LoweredCall& lowering, CallPlan& plan) {
    const Launch launch = launch_cost(call.ledger, spec, call.fabric, call.workload.collective);
    Schedule& schedule = plan.schedule;
    const DependsOn when = lowering.streams ? DependsOn::release : DependsOn::finish;
    std::vector<Dependency> before;
    for (int i = 0; i < planned_iterations; ++i) {
        const std::span<const Dependency> host_after =
            launch.waits ? std::span<const Dependency>(before) : std::span<const Dependency>{};
        const OpId issued = schedule.add(Delay{issue_lane, launch.issue}, host_after);
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
        std::vector<Dependency> arrived;
        arrived.reserve(before.size());
        for (const Dependency& d : before) { arrived.push_back({d.op, DependsOn::finish}); }
        schedule.kept.push_back(schedule.add(Delay{end_lane, {}}, arrived));
        plan.timed_calls = spec.iterations;
    }
}

}  // namespace fabricast::inline collectives
