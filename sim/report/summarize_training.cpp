#include "sim/report/summarize_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/plan/training/compute_costs.hpp"
#include "sim/plan/training/group_edges.hpp"
#include "sim/plan/training/step_account.hpp"

namespace fabricast::inline report {

namespace {

// The longest part of the step; computing only if no other part is longer.
std::string bottleneck_of(const StepRow& row) {
    const StepPart& longest =
        *std::ranges::max_element(step_parts, {}, [&](const StepPart& part) { return row.*part.seconds; });
    return fmt::format("{} {}", longest.name, percent(row.*longest.seconds / row.step_time_s));
}

// By the number of a WorkKind.
constexpr std::array<double StepRow::*, work_kinds> kernel_seconds = {&StepRow::products_s, &StepRow::attention_s,
                                                                      &StepRow::small_kernels_s, &StepRow::logits_s};

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
    const double alone = std::max(1e-300, std::accumulate(step.kind_s.begin(), step.kind_s.end(), 0.0));
    for (std::size_t kind = 0; kind < work_kinds; ++kind) {
        row.*kernel_seconds.at(kind) = parts.compute * step.kind_s[kind] / alone;
    }
    row.bubble_s = parts.bubble;
    row.bubble_imbalance_s = parts.imbalance;
    row.bubble_waits_s = parts.waits;
    row.fixed_s = parts.fixed;
    for (std::size_t kind = 0; kind < comm_kinds; ++kind) { row.*comm_part(kind).seconds = parts.exposed[kind]; }
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

constexpr double most_beyond = 8;          // multiple of the largest table's GPUs or tokens up to which it still counts
constexpr double share_that_counts = 0.1;  // minimum share of the step

std::string place_of(const Groups& groups, const Fabric& fabric) {
    return spread_of(groups, fabric.gpus_per_node(), false).shape.nodes > 1 ? "between" : "inside";
}

// "gpu.h100-sxm.bf16" -> "gpu", "h100-sxm", "bf16".
std::array<std::string, 3> pieces(const std::string& aspect) {
    const std::vector<std::string_view> words = split(aspect, '.');
    std::array<std::string, 3> out;
    std::copy_n(words.begin(), std::min(words.size(), out.size()), out.begin());
    return out;
}

std::string arch_of(const std::string& gpu, const Catalog& catalog) {
    const Part* part = catalog.find(gpu);
    return part == nullptr ? "" : part->word_or("arch", "");
}

// The GPU's distance from the tables: 1 if one has it in another precision, or another of its architecture; else 2.
int gpu_distance(const std::string& aspect, const AspectsMet& met, const Catalog& catalog) {
    const std::string name = pieces(aspect)[1];
    const std::string arch = arch_of(name, catalog);
    for (const auto& [other, gpus] : met) {
        const auto [kind, gpu, precision] = pieces(other);
        if (kind == "gpu" && (gpu == name || (!arch.empty() && arch_of(gpu, catalog) == arch))) { return 1; }
    }
    return 2;
}

// "no training table has experts between nodes".
std::string missing_words(const std::string& aspect) {
    const auto [kind, first, second] = pieces(aspect);
    const std::string what = kind == "gpu"            ? first + " in " + second
                             : kind == "convolutions" ? fmt::format("convolutions on {} in {}", first, second)
                             : kind == "framework" || kind == "network" ? first
                             : kind == "sharding" ? first + (second.empty() ? "" : " with a " + second)
                             : first == "between" ? kind + " between nodes"
                             : first == "inside"  ? kind + " inside a node"
                                                  : kind + (first.empty() ? "" : " " + first);
    return "no training table has " + what;
}

// What a convolution takes of the peak is a figure of the GPU and the precision.
std::string convolutions_on(const GpuSpec& gpu, Precision precision) {
    return fmt::format("convolutions.{}.{}", gpu.name, to_string(precision));
}

// Tokens; 0 for images.
double sequence_of(const TrainingFacts& step) { return step.model.convolutional() ? 0 : step.layout.sequence; }

// The convention of published MFU counts all of causal attention, of which fused kernels compute half. Where sequences
// are so long that attention is most of the work, the figure can come near the peak and pass it, which no GPU does.
void note_masked_attention(const TrainingFacts& step, const StepRow& row, std::vector<std::string>& notes) {
    if (!step.model.causal || step.model.convolutional()) { return; }
    const double masked = attention_flops(step.model, sequence_of(step)) / 2 * row.tokens_per_s / row.gpus;
    const double share = masked / row.flops_per_gpu, without = row.flops_per_gpu - masked;
    if (share <= 0.25) { return; }
    notes.push_back(fmt::format(
        "an MFU of {:.3f} on {} GPUs counts attention in full, as published MFU do: {} of the operations are the "
        "masked half, which fused kernels leave out; without it {:.1f} TFLOP/s, an MFU of {:.3f}",
        row.mfu, row.gpus, percent(share), without * 1e-12, without / step.peak));
}

}  // namespace

void summarize(const TrainingFacts& step, const ReplayedPlan& replayed, Report& report) {
    StepRow row = row_of(step, replayed);
    StepRating rests = rating(step, replayed.fabric, replayed.catalog, row);
    row.evidence = rests.evidence;
    row.time_low80_s = row.step_time_s * rests.low80;
    row.time_high80_s = row.step_time_s * rests.high80;
    note_masked_attention(step, row, report.notes);
    report.steps.push_back(std::move(row));
    report.evidence_notes = std::move(rests.notes);
    report.traffic.push_back(link_traffic(gpus_text(replayed.fabric), replayed));
    const Timeline& timeline = replayed.timelines.timeline;
    if (timeline.packets && !timeline.packets->series.empty()) {
        add_packets(report, Bytes{}, timeline, replayed.fabric);
    }
}

// For each stage, one lane for computing and one for each kind of communication.
std::vector<TraceSpan> spans_of(const TrainingFacts& step, const ReplayedPlan& replayed) {
    const std::vector<OpTimes>& kept = replayed.timelines.timeline.kept;
    std::vector<TraceSpan> spans;
    for (std::size_t i = 0; i < step.ops.size() && i < kept.size(); ++i) {
        const StepOp& op = step.ops[i];
        const std::string lane = op.tag == StepTag::compute ? "compute"
                                 : op.tag == StepTag::fixed ? "fixed"
                                                            : comm_part(static_cast<std::size_t>(op.tag)).name;
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

void add_goodput(Report& report, const GoodputSpec& spec, const Fabric& fabric, const Catalog& catalog) {
    const Goodput g = goodput_of(spec, fabric, catalog);
    for (StepRow& row : report.steps) { row.goodput = g; }
    report.notes.push_back(
        fmt::format("goodput on {}: {:.1f} % of a month (80 %: {:.1f} to {:.1f}): {:.0f} interruptions in 30 days; a "
                    "checkpoint every {} takes {:.1f} %, restarts {:.1f} %, work lost with failures {:.1f} %",
                    gpus_text(fabric), 100 * g.share, 100 * g.low80, 100 * g.high80, g.failures,
                    text(g.every_s, Dimension::time), 100 * g.checkpoints, 100 * g.restarts, 100 * g.lost));
}

std::vector<std::string> step_aspects(const TrainingWorkload& w, const ModelShape& model, const Layout& layout,
                                      const Fabric& fabric) {
    std::vector<std::string> aspects = {
        "gpu." + std::string(fabric.node().gpu.name) + "." + std::string(to_string(w.precision)),
        "framework." + w.framework, "sharding." + std::string(to_string(w.sharding))};
    if (fabric.node_count() > 1) { aspects.push_back("network." + std::string(fabric.cluster().fabric.link.name)); }
    if (layout.p > 1) {
        aspects.push_back(layout.v > 1 ? "pipeline.interleaved" : "pipeline.plain");
        if (w.sharding >= Sharding::zero_2) {
            aspects.push_back("sharding." + std::string(to_string(w.sharding)) + ".pipeline");
        }
    }
    if (layout.c > 1) { aspects.push_back("context." + place_of(layout.context(0), fabric)); }
    if (model.experts > 0) {
        aspects.push_back(layout.e > 1 ? "experts." + place_of(layout.expert(0), fabric) : "experts.whole");
    }
    if (model.convolutional()) { aspects.push_back(convolutions_on(fabric.node().gpu, w.precision)); }
    return aspects;
}

AspectsMet aspects_met(const Catalog& catalog) {
    AspectsMet met;
    const Part& tables = catalog.at("evidence", "training-tables");
    for (const auto& [name, figure] : tables.figures) { met[name] = tables.number(name); }
    return met;
}

std::string sequence_aspect(std::string_view gpu_aspect) {
    return "sequence" + std::string(gpu_aspect.substr(gpu_aspect.find('.')));
}

Evidence evidence_of_aspects(const std::vector<std::string>& aspects, const StepReach& reach, const AspectsMet& met,
                             const Catalog& catalog, std::vector<std::string>& notes) {
    int distance = 0;
    double gpus = 0, sequence = 0;  // the most that tables of this GPU and precision have
    for (const std::string& aspect : aspects) {
        const auto found = met.find(aspect);
        const bool is_gpu = aspect.starts_with("gpu.");
        if (found == met.end()) {
            distance += is_gpu ? gpu_distance(aspect, met, catalog) : 1;
            notes.push_back(missing_words(aspect));
        } else if (is_gpu) {
            const auto longest = met.find(sequence_aspect(aspect));
            gpus = found->second;
            sequence = longest == met.end() ? 0 : longest->second;
        }
    }
    if (gpus > 0 && reach.gpus > most_beyond * gpus) {
        ++distance;
        notes.push_back(fmt::format("the largest training table of this GPU and precision has {:.0f} GPUs", gpus));
    }
    if (sequence > 0 && reach.sequence > most_beyond * sequence) {
        ++distance;
        notes.push_back(fmt::format(
            "the longest sequences in training tables of this GPU and precision have {:.0f} tokens", sequence));
    }
    return distance == 0   ? Evidence::same_gpu_era_fabric
           : distance == 1 ? Evidence::same_family
                           : Evidence::formula_only;
}

std::map<std::string, double> aspect_spreads(const TrainingWorkload& workload, const ModelShape& model,
                                             const GpuSpec& gpu, const StepRow& row, const Catalog& catalog) {
    const Part& framework = catalog.at("framework", workload.framework);
    const auto half = [](const Figure& figure) { return std::log(figure.high80 / figure.low80) / 2; };
    const auto of_framework = [&](const char* name, double seconds) {
        return framework.has(name) ? seconds / row.step_time_s * half(framework.figure(name)) : 0;
    };
    const double once = std::min(row.fixed_s, framework.number("step")), more = row.fixed_s - once;
    std::map<std::string, double> spreads;
    spreads["framework." + workload.framework] =
        std::hypot(std::hypot(of_framework("pace", row.compute_s), of_framework("step", once)),
                   std::hypot(of_framework("host.experts", more),
                              workload.compiled ? 0 : of_framework("eager.norms", row.small_kernels_s)));
    if (!model.convolutions.empty()) {
        const Figure& share = compute_part(catalog, gpu).figure("conv." + std::string(to_string(workload.precision)));
        spreads[convolutions_on(gpu, workload.precision)] = row.products_s / row.step_time_s * half(share);
    }
    return spreads;
}

double untold_spread(const std::map<std::string, double>& spreads, const AspectsMet& met) {
    double sum = 0;
    for (const auto& [aspect, spread] : spreads) { sum += met.contains(aspect) ? 0 : spread * spread; }
    return std::sqrt(sum);
}

double widened(double end, double spread) {
    return std::exp(std::copysign(std::hypot(std::log(end), spread), std::log(end)));
}

StepRating rating(const TrainingFacts& step, const Fabric& fabric, const Catalog& catalog, const StepRow& row) {
    StepRating out;
    const AspectsMet met = aspects_met(catalog);
    out.evidence = evidence_of_aspects(step_aspects(step.workload, step.model, step.layout, fabric),
                                       {static_cast<double>(row.gpus), sequence_of(step)}, met, catalog, out.notes);
    for (std::size_t kind = 0; kind < comm_kinds; ++kind) {
        if (row.*comm_part(kind).seconds >= share_that_counts * row.step_time_s && step.evidence[kind] > out.evidence) {
            out.evidence = step.evidence[kind];
            merge_notes(out.notes, step.evidence_notes);
        }
    }
    // One site's collectives say little about a step: they count as the family's.
    const Evidence like = out.evidence == Evidence::one_site ? Evidence::same_family : out.evidence;
    const Figure& ratio = catalog.at("interval", "training-intervals").figure(enum_name(interval_names, like));
    const double untold =
        untold_spread(aspect_spreads(step.workload, step.model, fabric.node().gpu, row, catalog), met);
    out.low80 = widened(ratio.low80, untold);
    out.high80 = widened(ratio.high80, untold);
    return out;
}

}  // namespace fabricast::inline report
