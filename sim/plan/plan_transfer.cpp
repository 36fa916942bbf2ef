#include "sim/plan/plan_transfer.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/unit_text.hpp"

namespace fabricast::inline plans {

namespace {

Plan plan_transfer(const TransferWorkload& workload, const Exchanger& exchanger, Bytes size) {
    ExchangePlan exchange = exchanger.plan(size);
    Plan plan;
    plan.what = fmt::format("one message of {} from {} to {}: {}", text(size), workload.from, workload.to,
                            exchange.choice.path.transport);
    plan.schedule = std::move(exchange.one);
    plan.window = std::move(exchange.many);
    plan.timing = Timing{};
    plan.figures = exchanger.figures();
    plan.notes = exchange.choice.path.notes;
    plan.evidence_notes = {"transports rest on standards and on the figures that --json lists"};
    plan.facts = TransferFacts{std::move(exchange), size == workload.sizes.back()};
    return plan;
}

// The catalogue lacks what the workload names.
template <class Work> auto naming_workload(const Work& work) {
    try {
        return work();
    } catch (const CatalogError& error) { throw PlanError(error.what()); }
}

}  // namespace

SizePlanner size_planner(const TransferWorkload& workload, const PlanContext& context) {
    return naming_workload([&]() -> SizePlanner {
        const auto exchanger = std::make_shared<const Exchanger>(workload, context.fabric, context.catalog);
        return [&workload, exchanger](Bytes size, const PlanOptions&) {
            return naming_workload([&] { return plan_transfer(workload, *exchanger, size); });
        };
    });
}

}  // namespace fabricast::inline plans
