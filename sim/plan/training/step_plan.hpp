#pragma once
// The plan of a training step.

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "models/evidence.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/plan/training/layer_costs.hpp"
#include "sim/plan/training/layout.hpp"
#include "sim/plan/training/memory.hpp"
#include "sim/plan/training/model_shape.hpp"

namespace fabricast::inline training {

// What an operation of a step is for.
enum class StepTag : std::uint8_t { tensor, context, expert, pipeline, data, compute, fixed };  // CommKind first

// When gradients of weights are computed: as the order of the pipeline says for all, with the backward pass, later, or
// nothing but the oldest that wait (dual_pipe).
enum class WeightsAt : std::uint8_t { own_time, with_backward, later, now };

struct StepOp {
    StepTag tag = StepTag::compute;
    bool forward = true;
    std::uint32_t stage = 0;
    std::uint32_t micro_batch = 0;
    std::uint32_t chunk = 0;
    WeightsAt weights = WeightsAt::own_time;
    bool with_next = false;  // side by side with the stage's next pass: starts and sends when both can (dual_pipe)
    friend auto operator<=>(const StepOp&, const StepOp&) = default;
};

// What a step consists of, and what the report says of it.
struct StepFacts {
    std::vector<StepOp> ops;  // one for each operation of the schedule
    ModelShape model;
    Layout layout;
    StepMemory memory;
    std::array<double, work_kinds>
        kind_s{};            // seconds that all stages' representatives compute, alone, by what they do
    double model_flops = 0;  // of the whole step, as papers count them
    double peak = 0;         // FLOP/s of the step's precision on one GPU
    std::array<Evidence, comm_kinds> evidence{};  // of the collectives of each kind
    std::vector<std::string> evidence_notes;      // of the collectives
};

struct StepPlan : AnyPlan, StepFacts {};  // the schedule keeps every operation, in order

}  // namespace fabricast::inline training
