#include "sim/report/summarize_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/plan/training/step_account.hpp"
#include "sim/report/step_evidence.hpp"

namespace fabricast::inline report {

namespace {

// The longest part of the step; computing only if no other part is longer.
std::string bottleneck_of(const StepRow& row) {
    const StepPart& longest =
        *std::ranges::max_element(step_parts, {}, [&](const StepPart& part) { return row.*part.seconds; });
    return fmt::format("{} {}", longest.name, percent(row.*longest.seconds / row.step_time_s));
}

StepRow row_of(const TrainingFacts& step, const ReplayedPlan& replayed) {
    const Timeline& timeline = replayed.timelines.timeline;
    const StepAccount parts = account(step, replayed.plan.schedule, timeline);
    StepRow row;
    row.nodes = replayed.fabric.node_count();
    row.gpus = replayed.fabric.gpu_count();
    row.data_ranks = step.layout.d;
    row.global_batch = step.layout.global_batch;
    row.step_time_s = parts.step;
    row.samples_per_s = step.layout.global_batch / parts.step;
    row.tokens_per_s = step.model.convolutional() ? 0 : row.samples_per_s * step.layout.sequence;
    row.flops_per_gpu = step.model_flops / parts.step / row.gpus;
    row.mfu = row.flops_per_gpu / step.peak;
    row.compute_s = parts.compute;
    row.bubble_s = parts.bubble;
    row.fixed_s = parts.fixed;
    row.exposed_tensor_s = parts.exposed[0];
    row.exposed_context_s = parts.exposed[1];
    row.exposed_expert_s = parts.exposed[2];
    row.exposed_pipeline_s = parts.exposed[3];
    row.exposed_data_s = parts.exposed[4];
    row.parameter_bytes = step.memory.parameters;
    row.gradient_bytes = step.memory.gradients;
    row.optimizer_bytes = step.memory.optimizer;
    row.activation_bytes = step.memory.activations;
    row.reserved_bytes = step.memory.reserved;
    row.bottleneck = bottleneck_of(row);
    row.busiest_link = busiest_text(timeline, replayed.fabric, 0);
    return row;
}

std::string gpus_text(const Fabric& fabric) { return fmt::format("{} GPUs", fabric.gpu_count()); }

}  // namespace

void summarize(const TrainingFacts& step, const ReplayedPlan& replayed, Report& report) {
    StepRow row = row_of(step, replayed);
    StepRating rests = rating(step, replayed.fabric, replayed.catalog, row);
    row.evidence = rests.evidence;
    row.time_low80_s = row.step_time_s * rests.low80;
    row.time_high80_s = row.step_time_s * rests.high80;
    report.steps.push_back(std::move(row));
    report.evidence_notes = std::move(rests.notes);
    report.traffic.push_back(link_traffic(gpus_text(replayed.fabric), replayed));
}

// For each stage, one lane for computing and one for each kind of communication.
std::vector<TraceSpan> spans_of(const TrainingFacts& step, const ReplayedPlan& replayed) {
    static constexpr std::array<const char*, 7> names = {
        "tensor-parallel", "context-parallel", "expert-parallel", "pipeline", "data-parallel", "compute", "fixed"};
    const std::vector<OpTimes>& kept = replayed.timelines.timeline.kept;
    std::vector<TraceSpan> spans;
    for (std::size_t i = 0; i < step.ops.size() && i < kept.size(); ++i) {
        const StepOp& op = step.ops[i];
        const std::string lane = names.at(static_cast<std::size_t>(op.tag));
        const std::string what = op.tag == StepTag::fixed
                                     ? "end of step"
                                     : fmt::format("{} {}{}", op.forward ? "forward" : "backward", op.micro_batch,
                                                   step.layout.v > 1 ? fmt::format(", chunk {}", op.chunk) : "");
        const Fabric& fabric = replayed.fabric;
        const std::string gpu = fabric.device_name(fabric.gpu(step.layout.device_rank(op.stage)));
        spans.push_back({fmt::format("{}, stage {}: {}", gpus_text(fabric), op.stage, gpu), lane,
                         op.tag == StepTag::compute ? what : lane + " " + what, kept[i].start, kept[i].finish});
    }
    return spans;
}

}  // namespace fabricast::inline report
