#include "sim/plan/collectives/plan_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/engines/common/pipeline_form.hpp"

namespace fabricast::inline collectives {

namespace {

using Dependency = Schedule::Dependency;

// Delays of one host run in order; each lane is a separate host.
constexpr std::uint32_t issue_lane = 0, end_lane = 1, release_lane = 2;

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

bool has_root(Collective collective) {
    constexpr std::array rooted{Collective::broadcast, Collective::reduce, Collective::gather, Collective::scatter};
    return std::ranges::find(rooted, collective) != rooted.end();
}

bool is_stepped(Algorithm algorithm) {
    constexpr std::array stepped{Algorithm::recursive_doubling, Algorithm::pairwise, Algorithm::hierarchical};
    return std::ranges::find(stepped, algorithm) != stepped.end();
}

LoweredCall plan_call(const Call& call, const LaunchSpec& spec, CallPlan& plan, int iterations) {
    Schedule& schedule = plan.schedule;
    LoweredCall lowering = is_stepped(call.workload.algorithm) ? plan_steps(call, schedule)
                           : is_msccl(call.workload.algorithm) ? plan_msccl(call, schedule)
                           : call.algorithm != nullptr         ? call.algorithm->plan(call, schedule)
                                                               : plan_p2p(call, schedule);
    const Duration issue = issue_time(call, spec.mode);
    const DependsOn when = lowering.streams ? DependsOn::release : DependsOn::finish;
    std::vector<Dependency> before;
    for (int i = 0; i < iterations; ++i) {
        const bool waits = spec.mode == LaunchMode::framework;  // for the previous iteration
        const OpId issued = schedule.add(Delay{issue_lane, issue}, waits ? before : std::vector<Dependency>{});
        before.push_back({issued, DependsOn::finish});
        const std::vector<OpId> last = lowering.body(schedule, before);
        before.clear();
        for (const OpId op : last) { before.push_back({op, when}); }
        // One operation ends the iteration: an empty delay after its last ones.
        schedule.kept.push_back(schedule.add(Delay{end_lane, {}}, before));
    }
    plan.iterations = iterations;
    if (lowering.streams) {
        // The last call must reach the far end; this is waited for once, however many calls there are.
        for (Dependency& d : before) { d.when = DependsOn::finish; }
        schedule.kept.push_back(schedule.add(Delay{end_lane, {}}, before));
        plan.timed_calls = spec.iterations;
        plan.average = spec.average != RankTime::rank0                     ? spec.average
                       : call.workload.root != 0                           ? RankTime::mean
                       : call.workload.collective == Collective::broadcast ? RankTime::min
                                                                           : RankTime::max;
    } else if (lowering.under_way > 1 && spec.mode != LaunchMode::framework) {
        for (Dependency& d : before) { d.when = DependsOn::release; }
        schedule.kept.push_back(schedule.add(Delay{release_lane, {}}, before));
        plan.under_way = lowering.under_way;
    }
    return lowering;
}

namespace {

// What a call's time rests on. A figure counts by how much it could move the time: each is set to either end of its 80
// % interval, the call is lowered again, and its Pipeline's closed form gives the time with the links to itself.

// Figures that together move the time by less do not matter: about the narrowest interval of `forecast-intervals`.
constexpr double matters = 0.05;

// The hops of the pipeline's stages when its channels have the links to themselves. They do not depend on any figure.
std::vector<HopPath> hops_of(const Call& call, const LoweredCall& lowering, const Schedule& schedule) {
    const Pipeline& pipeline = schedule.pipelines.front();
    std::vector<HopPath> hops;
    for (std::uint32_t i = 0; i < pipeline.stage_count; ++i) {
        const PathQuery& query = schedule.stages[pipeline.first_stage + i].hop;
        HopPath hop;
        hop.between_nodes = call.fabric.node_of(query.src) != call.fabric.node_of(query.dst);
        const Path path = call.fabric.path(query);
        const auto rails = static_cast<double>(std::max<std::size_t>(call.found.nics.size(), 1));
        const double network = lowering.network_crossings > 0 ? lowering.network_crossings : 1 / rails;
        hop.latency = path.latency;
        hop.rate = narrowest(call.fabric, path) /
                   (pipeline.weight * (hop.between_nodes ? network : lowering.inside_crossings));
        hops.push_back(hop);
    }
    return hops;
}

double expected_seconds(const Schedule& schedule, const LaunchSpec& spec, const std::vector<HopPath>& hops) {
    const Pipeline& pipeline = schedule.pipelines.front();
    const PipelineForm form(schedule, pipeline, hops);
    double rate = std::numeric_limits<double>::infinity();
    for (const HopPath& hop : hops) { rate = std::min(rate, hop.rate); }
    const double tau = form.tau(rate);
    const double call = to_seconds(pipeline.start) + form.running(tau) + form.draining(tau);
    const double issue = to_seconds(schedule.delays.front().duration);
    return spec.mode == LaunchMode::framework ? call + issue : std::max(call, issue);
}

// The time with one figure set to an end of its interval.
double seconds_with(const Call& call, const LaunchSpec& spec, const std::vector<HopPath>& hops, const Figure* moved,
                    FigureReader::End end) {
    FigureReader ledger(call.ledger.parts(), moved, end);
    const Call again{call.workload, call.fabric, call.release,   call.environment, call.found,
                     call.rules,    call.shape,  call.bytes,     call.gpu_direct,  call.algorithm,
                     call.proto,    ledger,      call.registered};
    CallPlan plan;
    plan_call(again, spec, plan);
    return expected_seconds(plan.schedule, spec, hops);
}

// A figure that was read, and how far it could move the time.
struct Weight {
    Trust trust;
    double moved = 0;
};

// Counts figures from the weakest on until they matter together: the evidence reached, the strongest if they never do.
Evidence weakest_that_matters(std::vector<Weight> figures, Evidence Trust::*word) {
    std::sort(figures.begin(), figures.end(),
              [&](const Weight& a, const Weight& b) { return a.trust.*word > b.trust.*word; });
    double moved = 0;  // sum of squares: the figures' errors are independent
    for (const Weight& figure : figures) {
        moved += figure.moved * figure.moved;
        if (moved > matters * matters) { return figure.trust.*word; }
    }
    return figures.back().trust.*word;
}

// The weakest evidence among the figures that matter, at best the lowering's. `schedule`: the call as launched.
Trust rests_on(const Call& call, const LaunchSpec& spec, const LoweredCall& lowering, const Schedule& schedule) {
    const bool streams = !schedule.pipelines.empty();  // else no closed form: all figures count
    const std::vector<HopPath> hops = streams ? hops_of(call, lowering, schedule) : std::vector<HopPath>{};
    const double usual = streams ? expected_seconds(schedule, spec, hops) : 1;
    std::vector<Weight> figures;
    for (const auto& [figure, trust] : call.ledger.trust()) {
        double moved = streams ? 0 : 1;
        for (const FigureReader::End end : {FigureReader::End::high, FigureReader::End::low}) {
            moved =
                streams ? std::max(moved, std::abs(seconds_with(call, spec, hops, figure, end) / usual - 1)) : moved;
        }
        figures.push_back({trust, moved});
    }
    return {std::max(weakest_that_matters(figures, &Trust::evidence), lowering.at_best),
            std::max(weakest_that_matters(figures, &Trust::misses_like), lowering.at_best)};
}

// The 80 % interval of measured / forecast, from the catalogue's part `forecast-intervals`: how far forecasts with the
// same evidence, scope (inside one node or between nodes) and size regime were from measurements that their constants
// were not fitted to. Regimes: below 64 KiB; 64 KiB to 16 MiB; from 16 MiB on.
const Figure& interval(const CostParts& parts, Evidence misses_like, double bytes) {
    const char* regime = bytes < 65536 ? ".small" : bytes < 16.0 * (1 << 20) ? ".middle" : ".large";
    const char* scope = misses_like == Evidence::measured_here ? ""
                        : parts.transport == nullptr           ? ".inside"
                                                               : ".between";
    return parts.intervals->figure(fmt::format("{}{}{}", enum_name(interval_names, misses_like), scope, regime));
}

}  // namespace

double seconds_alone(const Call& call, const LaunchSpec& spec, const LoweredCall& lowering, const Schedule& schedule) {
    return schedule.pipelines.empty() ? 0 : expected_seconds(schedule, spec, hops_of(call, lowering, schedule));
}

void judge(const Call& call, const LaunchSpec& spec, const LoweredCall& lowering, CallPlan& plan) {
    const Trust trust = rests_on(call, spec, lowering, plan.schedule);
    const Figure& ratio = interval(call.ledger.parts(), trust.misses_like, call.bytes);
    plan.evidence = trust.evidence;
    plan.relative_low80 = ratio.low80 - 1;
    plan.relative_high80 = ratio.high80 - 1;
    plan.figures = call.ledger.figures();
}

}  // namespace fabricast::inline collectives
