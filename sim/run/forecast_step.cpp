#include "sim/run/forecast_step.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/unit_text.hpp"
#include "sim/plan/training/slow_ranks.hpp"
#include "sim/plan/training/step_account.hpp"
#include "sim/report/step_evidence.hpp"
#include "sim/report/summarize.hpp"

namespace fabricast {

namespace {

// The longest part of the step; computing only if no other part is longer.
std::string bottleneck_of(const StepRow& row) {
    const std::array<std::pair<const char*, double>, 7> parts{{{"tensor-parallel", row.exposed_tensor_s},
                                                               {"context-parallel", row.exposed_context_s},
                                                               {"expert-parallel", row.exposed_expert_s},
                                                               {"pipeline", row.exposed_pipeline_s},
                                                               {"data-parallel", row.exposed_data_s},
                                                               {"bubble", row.bubble_s},
                                                               {"fixed", row.fixed_s}}};
    const auto longest =
        std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool computes = row.compute_s >= longest->second;
    return (computes ? "compute " : std::string(longest->first) + " ") +
           percent((computes ? row.compute_s : longest->second) / row.step_time_s);
}

StepRow row_of(const StepPlan& plan, const Timeline& timeline, const Fabric& fabric) {
    const StepAccount parts = account(plan, timeline);
    StepRow row;
    row.nodes = fabric.node_count();
    row.gpus = fabric.gpu_count();
    row.data_ranks = plan.layout.d;
    row.global_batch = plan.layout.global_batch;
    row.step_time_s = parts.step;
    row.samples_per_s = plan.layout.global_batch / parts.step;
    row.tokens_per_s = plan.model.convolutional() ? 0 : row.samples_per_s * plan.layout.sequence;
    row.flops_per_gpu = plan.model_flops / parts.step / row.gpus;
    row.mfu = row.flops_per_gpu / plan.peak;
    row.compute_s = parts.compute;
    row.bubble_s = parts.bubble;
    row.fixed_s = parts.fixed;
    row.exposed_tensor_s = parts.exposed[0];
    row.exposed_context_s = parts.exposed[1];
    row.exposed_expert_s = parts.exposed[2];
    row.exposed_pipeline_s = parts.exposed[3];
    row.exposed_data_s = parts.exposed[4];
    row.parameter_bytes = plan.memory.parameters;
    row.gradient_bytes = plan.memory.gradients;
    row.optimizer_bytes = plan.memory.optimizer;
    row.activation_bytes = plan.memory.activations;
    row.reserved_bytes = plan.memory.reserved;
    row.bottleneck = bottleneck_of(row);
    if (!timeline.busiest.empty()) {
        const LinkUse& use = timeline.busiest.front();
        row.busiest_link = fabric.link_name(use.link) + " " + percent(std::min(use.utilisation, 1.0));
    }
    return row;
}

std::string gigabytes(double bytes) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", bytes * 1e-9);
    return text.data();
}

void check_memory(const StepPlan& plan, const Fabric& fabric, std::vector<std::string>& notes) {
    const GpuSpec& gpu = fabric.node().gpu;
    const auto has = static_cast<double>(gpu.memory.count);
    const StepMemory& m = plan.memory;
    if (has > 0 && m.low80 > has) {
        throw LayoutError("workload", "the step needs " + gigabytes(m.total()) + " GB on a GPU (parameters " +
                                          gigabytes(m.parameters) + ", gradients " + gigabytes(m.gradients) +
                                          ", optimizer " + gigabytes(m.optimizer) + ", activations " +
                                          gigabytes(m.activations) + ", context and buffers " + gigabytes(m.reserved) +
                                          "); '" + gpu.name + "' has " + gigabytes(has) + " GB: at least " +
                                          gigabytes(m.low80 - has) +
                                          " GB too little (cut further, shard, recompute, narrow gradient_bytes; or "
                                          "check_memory: false, where it is known to run)");
    }
    if (has > 0 && m.high80 > has) {
        notes.push_back("memory: " + gigabytes(m.total()) + " GB counted on the fullest GPU (" + gigabytes(m.low80) +
                        " to " + gigabytes(m.high80) + "), which has " + gigabytes(has) + ": it may not fit");
    }
}

// For each stage, one lane for computing and one for each kind of communication.
std::vector<TraceSpan> trace_of(const StepPlan& plan, const Timeline& timeline, const Fabric& fabric) {
    static constexpr std::array<const char*, 7> names = {
        "tensor-parallel", "context-parallel", "expert-parallel", "pipeline", "data-parallel", "compute", "fixed"};
    std::vector<TraceSpan> spans;
    for (std::size_t i = 0; i < plan.ops.size() && i < timeline.kept.size(); ++i) {
        const StepOp& op = plan.ops[i];
        const std::string lane = names.at(static_cast<std::size_t>(op.tag));
        const std::string what = op.tag == StepTag::fixed
                                     ? "end of step"
                                     : (op.forward ? "forward " : "backward ") + std::to_string(op.micro_batch) +
                                           (plan.layout.v > 1 ? ", chunk " + std::to_string(op.chunk) : "");
        const std::string rank = "stage " + std::to_string(op.stage) + ": " +
                                 fabric.device_name(fabric.gpu(plan.layout.device_rank(op.stage)));
        spans.push_back({rank, lane, op.tag == StepTag::compute ? what : lane + " " + what, timeline.kept[i].start,
                         timeline.kept[i].finish});
    }
    return spans;
}

}  // namespace

StepForecast forecast_step(const Scenario& scenario, const TrainingWorkload& workload, const Fabric& fabric,
                           const Catalog& catalog, const std::vector<LinkEvent>& events, const Watch& watch,
                           bool trace) {
    StepPlan plan = plan_step(workload, fabric, scenario.library, catalog);
    if (workload.check_memory) {
        check_memory(plan, fabric, plan.notes);
    }
    const Timeline timeline =
        replay(scenario.engine, fabric, plan.schedule, at_representatives(events, plan.layout, fabric), watch);
    StepForecast out;
    out.row = row_of(plan, timeline, fabric);
    StepRating rests = rating(plan, workload, fabric, catalog, out.row);
    out.row.evidence = rests.evidence;
    out.row.time_low80_s = out.row.step_time_s * rests.low80;
    out.row.time_high80_s = out.row.step_time_s * rests.high80;
    out.evidence_notes = std::move(rests.notes);
    merge_figures(out.figures, plan.figures);
    out.notes = std::move(plan.notes);
    out.traffic = link_traffic(std::to_string(out.row.gpus) + " GPUs", timeline, fabric);
    if (trace) {
        out.trace = trace_of(plan, timeline, fabric);
    }
    return out;
}

}  // namespace fabricast
