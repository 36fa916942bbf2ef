#pragma once
// Where the time of a replayed step went, from its timeline: what a stage's GPU computed, and what it waited for.

#include <array>

#include "sim/engines/common/timeline.hpp"
#include "sim/plan/training/step_plan.hpp"

namespace fabricast::inline training {

// Seconds, averaged over the pipeline stages; the parts add up to the step.
struct StepAccount {
    double step = 0;
    double compute = 0;
    std::array<double, comm_kinds> exposed{};  // by CommKind: communication during which nothing was computed
    double bubble = 0;                         // waiting for other stages' computation
    double imbalance = 0,
           waits = 0;  // of it: the longest stage computes more; other stages' communication. Rest: order
    double fixed = 0;  // optimizer and the framework's fixed time per step
};

// Precondition: the timeline is that of the schedule, which keeps every operation.
StepAccount account(const StepFacts& step, const Schedule& schedule, const Timeline& timeline);

}  // namespace fabricast::inline training
