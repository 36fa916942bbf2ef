#pragma once
// The plan of a collective.

#include <stdexcept>
#include <string>
#include <vector>

#include "models/evidence.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/collective.hpp"

namespace fabricast {

// A plan: the schedule of a few back-to-back iterations, and how it was chosen.
struct Plan {
    Schedule schedule;    // kept: one operation per iteration, whose finish ends the iteration
    int iterations = 1;   // in the schedule; the time of one is finish(last) - finish(last but one)
    int timed_calls = 0;  // above 0: calls overlap, so their average counts; one more kept operation ends the last call
    Algorithm algorithm = Algorithm::ring;
    Protocol protocol = Protocol::simple;
    int channels = 0;
    double tuning_seconds = 0;      // the time that NCCL's own tuning model expects; 0: it has no model of this call
    double bytes_moved_factor = 1;  // nccl-tests' busbw / algbw
    Evidence evidence = Evidence::formula_only;
    double relative_low80 = 0, relative_high80 = 0;  // interval of the time from the constants used, e.g. -0.05, +0.06
    std::vector<FigureUsed> figures;
    std::vector<std::string> evidence_notes;  // "kernel costs from ..., nearest data 8 GPUs a node"
    std::vector<std::string> notes;
};

// The requested algorithm cannot run here (NVLS without NVSwitch gen 3 ...).
struct PlanError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace fabricast
