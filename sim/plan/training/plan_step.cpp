#include "sim/plan/training/plan_step.hpp"

#include "sim/plan/training/replicated_step.hpp"
#include "sim/plan/training/sharded_step.hpp"

namespace fabricast::inline training {

StepPlan plan_step(const TrainingWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
                   const Catalog& catalog, Replicas replicas) {
    GroupPlans plans(fabric, library, catalog, false);
    return plan_step(workload, fabric, plans, catalog, replicas);
}

StepPlan plan_step(const TrainingWorkload& workload, const Fabric& fabric, GroupPlans& plans, const Catalog& catalog,
                   Replicas replicas) {
    StepPlan plan;
    plan.model = model_shape(catalog, workload);
    plan.layout = make_layout(workload, plan.model, fabric.gpu_count(), fabric.gpus_per_node());
    const ComputeCosts costs(catalog, fabric.node().gpu, workload, fabric.gpu_count());
    const LayerCosts step{costs, plan.model, workload, plan.layout};
    GroupCalls calls(fabric, plans);
    const bool by_layer = workload.sharding >= Sharding::zero_2;
    const bool folded = replicas == Replicas::folded || by_layer;
    StepBuilder builder(plan, fabric, calls, step, folded ? 1 : plan.layout.d);
    by_layer ? add_sharded_step(builder) : add_replicated_step(builder);
    plan.memory = step_memory(step);
    const double samples = plan.layout.global_batch;
    plan.model_flops = samples * plan.layout.sequence * model_flops(plan.model, plan.layout.sequence);
    plan.peak = costs.peak();
    plan.figures = costs.figures();
    for (FigureUsed& figure : plans.figures()) { plan.figures.push_back(std::move(figure)); }
    plan.notes = plans.notes();
    for (std::string& idle : idle_keys(workload)) { plan.notes.push_back(std::move(idle)); }
    plan.evidence = calls.evidence();
    plan.evidence_notes = plans.evidence_notes();
    return plan;
}

}  // namespace fabricast::inline training
