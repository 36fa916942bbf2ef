#pragma once
// Where the time of a replayed step went, from its timeline: what a stage's GPU computed, and what it waited for.

#include <array>

#include "sim/engines/common/timeline.hpp"
#include "sim/plan/training/step_plan.hpp"

namespace fabricast {

// Seconds, mean over the pipeline stages; they add up to the step.
struct StepAccount {
    double step = 0;
    double compute = 0;
    std::array<double, comm_kinds> exposed{};  // by CommKind: communication that nothing was computed beside
    double bubble = 0;                         // waiting for other stages' computation
    double fixed = 0;                          // optimizer and what the framework adds once a step
};

// Precondition: the timeline is of the plan's schedule, every operation kept.
StepAccount account(const StepPlan& plan, const Timeline& timeline);

}  // namespace fabricast
