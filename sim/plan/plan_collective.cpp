#include "sim/plan/plan_collective.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/input_error.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/plan/collectives/planner.hpp"

namespace fabricast::inline plans {

namespace {

void check_ranks(const CollectiveWorkload& workload, std::uint32_t ranks) {
    if (ranks < 2) {
        throw PlanError(error_message("a collective needs partners", fmt::format("{} ranks", ranks), "at least 2"),
                        "cluster");
    }
    if (workload.root >= ranks) {
        throw PlanError(
            error_message("'root' is no rank", fmt::to_string(workload.root), fmt::format("0 to {}", ranks - 1)),
            "workload.root");
    }
}

Plan plan_of(CallPlan call, Collective collective, Bytes size) {
    Plan plan;
    plan.what = fmt::format("{} of {}: {} {}, {}", to_string(collective), text(size), to_string(call.algorithm),
                            to_string(call.protocol), plural(static_cast<std::uint64_t>(call.channels), "channel"));
    plan.schedule = std::move(call.schedule);
    plan.timing = call;
    plan.figures = std::move(call.figures);
    plan.notes = std::move(call.notes);
    plan.evidence_notes = std::move(call.evidence_notes);
    plan.facts = CollectiveFacts{call, size};
    return plan;
}

}  // namespace

SizePlanner size_planner(const CollectiveWorkload& workload, const PlanContext& context) {
    check_ranks(workload, context.fabric.gpu_count());
    const auto planner =
        std::make_shared<const Planner>(workload, context.fabric, context.library, context.launch, context.catalog);
    return [planner, collective = workload.collective](Bytes size, const PlanOptions& options) {
        return plan_of(planner->plan(size, options.judged), collective, size);
    };
}

}  // namespace fabricast::inline plans
