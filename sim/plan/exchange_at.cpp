#include "sim/plan/exchange_at.hpp"

namespace fabricast {

Exchange exchange_of(const Plan& plan, const Timelines& timelines, const Fabric& fabric) {
    return measured(std::get<TransferFacts>(plan.facts), plan.schedule, timelines.timeline, timelines.traffic(),
                    fabric);
}

Exchange exchange_at(Bytes size, const Workload& workload, const PlanContext& context, const Engine& engine) {
    const Plan plan = planner_of(workload, context)(size, {});
    return exchange_of(plan, replay(engine, context.fabric, plan), context.fabric);
}

}  // namespace fabricast
