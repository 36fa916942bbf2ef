#pragma once
// The row of a training step: where its time goes, and what it rests on: how similar the published measurements of
// whole steps are, and the evidence of the collectives that the step waits for.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/report/traffic.hpp"

namespace fabricast::inline report {

void summarize(const TrainingFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const TrainingFacts& facts, const ReplayedPlan& replayed);

// Adds to each step what failures and checkpoints leave of a month on this cluster, and a note that says it.
void add_goodput(Report& report, const GoodputSpec& spec, const Fabric& fabric, const Catalog& catalog);

// What distinguishes one kind of step from another: "gpu.h100-sxm.bf16", "framework.megatron",
// "network.infiniband-ndr", "sharding.zero-3", "experts.between" (nodes) and so on.
std::vector<std::string> step_aspects(const TrainingWorkload& workload, const ModelShape& model, const Layout& layout,
                                      const Fabric& fabric);

// How far a step goes in what tables have more or less of.
struct StepReach {
    double gpus = 0;
    double sequence = 0;  // tokens; 0: images
};

// For each aspect, the most GPUs in a published table that has it, and for each GPU and precision, as
// "sequence.h100-sxm.bf16", the longest sequence: the figures of the part `training-tables`.
using AspectsMet = std::map<std::string, double, std::less<>>;
AspectsMet aspects_met(const Catalog& catalog);

// Same GPU, era and fabric if every aspect is in `met` and the tables of this GPU and precision have at least an eighth
// of the GPUs and of the sequence. Each of these costs one grade: an aspect that is missing, too few GPUs and too short
// sequences in the tables; a GPU without any table of its architecture costs two. One grade lost: same family; more:
// formula only. What is missing is appended to `notes`.
Evidence evidence_of_aspects(const std::vector<std::string>& aspects, const StepReach& reach, const AspectsMet& met,
                             const Catalog& catalog, std::vector<std::string>& notes);

// "gpu.h100-sxm.bf16" -> "sequence.h100-sxm.bf16".
std::string sequence_aspect(std::string_view gpu_aspect);

// Aspects whose own figures only a table that has them can tell: a framework's pace, time per step, host and eager
// kernels; convolutions' share of the peak. For each, half of the 80 % interval of ln(step time) that the figures'
// intervals make.
std::map<std::string, double> aspect_spreads(const TrainingWorkload& workload, const ModelShape& model,
                                             const GpuSpec& gpu, const StepRow& row, const Catalog& catalog);

// Of the aspects that are not in `met`, all together.
double untold_spread(const std::map<std::string, double>& spreads, const AspectsMet& met);

// The end of an interval, as a multiple, with a spread beside it.
double widened(double end, double spread);

// The evidence of a row, and the ends of its 80 % interval as multiples of its time (part `training-intervals`). The
// evidence of a kind of communication counts if its exposed time is at least a tenth of the step.
struct StepRating {
    Evidence evidence = Evidence::formula_only;
    double low80 = 1, high80 = 1;
    std::vector<std::string> notes;
};
StepRating rating(const TrainingFacts& step, const Fabric& fabric, const Catalog& catalog, const StepRow& row);

}  // namespace fabricast::inline report
