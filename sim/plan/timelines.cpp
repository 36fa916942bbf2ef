#include "sim/plan/timelines.hpp"

#include <algorithm>
#include <cassert>

namespace fabricast::inline plans {

Timelines replay(const Engine& engine, const Fabric& fabric, const Plan& plan, const std::vector<LinkEvent>& events,
                 const Watch& watch) {
    Watch rest = watch;
    if (watch.progress && plan.planning_share > 0) {
        rest.progress = [&](double share) { watch.progress(plan.planning_share + (1 - plan.planning_share) * share); };
    }
    const auto* training = std::get_if<TrainingFacts>(&plan.facts);
    const std::vector<LinkEvent> felt =
        training == nullptr ? events : at_representatives(events, training->layout, fabric);
    Timelines out{fabricast::replay(engine, fabric, plan.schedule, felt, rest), {}};
    if (plan.window) { out.window = fabricast::replay(engine, fabric, *plan.window, felt, rest); }
    return out;
}

double iteration_time(const Timing& timing, const Timeline& timeline) {
    const auto iterations = static_cast<std::size_t>(timing.iterations);
    assert(iterations >= 1 && timeline.kept.size() >= iterations);
    const Time end = timeline.kept[iterations - 1].finish;
    const Time begin = iterations > 1 ? timeline.kept[iterations - 2].finish : Time{};
    const double each = to_seconds(end - begin);
    if (timing.under_way > 1) {
        const double way = to_seconds(end - timeline.kept.at(iterations).finish);
        return each - way * (1 - 1.0 / timing.under_way);
    }
    if (timing.timed_calls == 0) { return each; }
    assert(timeline.kept.size() > iterations);
    const double calls = timing.timed_calls;
    // The first rank ends with the last call's release, the last when that has arrived at the far end.
    const double first = to_seconds(end - Time{}), last = to_seconds(timeline.kept[iterations].finish - Time{});
    const double arrived = timing.average == RankTime::min   ? first
                           : timing.average == RankTime::max ? last
                                                             : (first + last) / 2;
    return (arrived + (calls - static_cast<double>(iterations)) * each) / calls;
}

TimedPart timed_part(const Plan& plan, const Timeline& timeline) {
    if (plan.timing) {
        const auto iterations = static_cast<std::size_t>(plan.timing->iterations);
        return {timeline.kept[iterations - 1].op, iterations > 1 ? timeline.kept[iterations - 2].finish : Time{},
                iteration_time(*plan.timing, timeline)};
    }
    const auto last =
        std::max_element(timeline.kept.begin(), timeline.kept.end(), [](const OpTimes& a, const OpTimes& b) {
            return a.finish != b.finish ? a.finish < b.finish : a.op > b.op;  // of equal ones the first operation
        });
    return {last->op, Time{}, to_seconds(timeline.makespan)};
}

Exchange exchange_of(const Plan& plan, const Timelines& timelines, const Fabric& fabric) {
    return measured(std::get<TransferFacts>(plan.facts), plan.schedule, timelines.timeline, timelines.traffic(),
                    fabric);
}

Exchange exchange_at(Bytes size, const Workload& workload, const PlanContext& context, const Engine& engine) {
    const Plan plan = planner_of(workload, context)(size, {});
    return exchange_of(plan, replay(engine, context.fabric, plan), context.fabric);
}

}  // namespace fabricast::inline plans
