#include "sim/plan/plan_training.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/plan/training/plan_step.hpp"

namespace fabricast::inline plans {

namespace {

std::string gigabytes(double bytes) { return fmt::format("{:.1f}", bytes * 1e-9); }

// Throws LayoutError if the step does not fit the GPU's memory, and notes it if it may not.
void check_memory(const StepMemory& m, const GpuSpec& gpu, std::vector<std::string>& notes) {
    const auto has = static_cast<double>(gpu.memory.count);
    if (has > 0 && m.low80 > has) {
        throw LayoutError(
            "workload",
            fmt::format("the step needs {} GB on a GPU (parameters {}, gradients {}, optimizer {}, activations {}, "
                        "context and buffers {}); '{}' has {} GB: at least {} GB too little (cut further, shard, "
                        "recompute, narrow gradient_bytes; or check_memory: false, where it is known to run)",
                        gigabytes(m.total()), gigabytes(m.parameters), gigabytes(m.gradients), gigabytes(m.optimizer),
                        gigabytes(m.activations), gigabytes(m.reserved), gpu.name, gigabytes(has),
                        gigabytes(m.low80 - has)));
    }
    if (has > 0 && m.high80 > has) {
        notes.push_back(fmt::format("memory: {} GB counted on the fullest GPU ({} to {}), which has {}: it may not fit",
                                    gigabytes(m.total()), gigabytes(m.low80), gigabytes(m.high80), gigabytes(has)));
    }
}

}  // namespace

SizePlanner size_planner(const TrainingWorkload& workload, const PlanContext& context) {
    return [&workload, context](Bytes, const PlanOptions&) {
        StepPlan step = plan_step(workload, context.fabric, context.library, context.catalog);
        if (workload.check_memory) { check_memory(step.memory, context.fabric.node().gpu, step.notes); }
        Plan plan;
        plan.what = "a training step of " + workload.model;
        plan.schedule = std::move(step.schedule);
        plan.figures = std::move(step.figures);
        plan.notes = std::move(step.notes);
        plan.facts = TrainingFacts{std::move(step), workload};
        return plan;
    };
}

}  // namespace fabricast::inline plans
