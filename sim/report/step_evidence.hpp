#pragma once
// What a training step's forecast rests on: how near published tables of whole steps are, and what told the constants
// of the collectives that it waits for.

#include <map>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/training/plan_step.hpp"
#include "sim/report/report.hpp"

namespace fabricast {

// What tells one kind of step from another: "gpu.h100-sxm.bf16", "framework.megatron", "network.infiniband-ndr",
// "sharding.zero-3", "experts.between" (nodes) and so on.
std::vector<std::string> step_aspects(const TrainingWorkload& workload, const ModelShape& model, const Layout& layout,
                                      const Fabric& fabric);

// The largest number of GPUs of a table that has the aspect: figures of the catalogue's part `training-tables`.
using AspectsMet = std::map<std::string, double, std::less<>>;
AspectsMet aspects_met(const Catalog& catalog);

// All of it met on an eighth of the GPUs or more: same GPU, era and fabric. One aspect of it never met: same family.
// Two, or no GPU of its architecture: formula only. What is missing is added to `notes`.
Evidence evidence_of_aspects(const std::vector<std::string>& aspects, double gpus, const AspectsMet& met,
                             const Catalog& catalog, std::vector<std::string>& notes);

// What a row rests on, and its 80 % interval in shares of its time (part `training-intervals`). A kind of communication
// counts where a tenth of the step waits for it.
struct StepRating {
    Evidence evidence = Evidence::formula_only;
    double low80 = 1, high80 = 1;
    std::vector<std::string> notes;
};
StepRating rating(const StepPlan& plan, const TrainingWorkload& workload, const Fabric& fabric, const Catalog& catalog,
                  const StepRow& row);

}  // namespace fabricast
