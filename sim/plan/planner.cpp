#include "sim/plan/planner.hpp"

#include "sim/plan/plan_collective.hpp"
#include "sim/plan/plan_trace.hpp"
#include "sim/plan/plan_training.hpp"
#include "sim/plan/plan_transfer.hpp"

namespace fabricast::inline plans {

SizePlanner planner_of(const Workload& workload, const PlanContext& context) {
    return std::visit([&](const auto& kind) { return size_planner(kind, context); }, workload);
}

Fabric fabric_for(const Workload& workload, Fabric built, const Catalog& catalog) {
    const auto* transfer = std::get_if<TransferWorkload>(&workload);
    return transfer == nullptr ? std::move(built) : transfer_fabric(built, *transfer, catalog);
}

}  // namespace fabricast::inline plans
