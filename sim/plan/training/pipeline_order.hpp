#pragma once
// The order in which a pipeline stage runs its micro-batches, which causes bubbles.

#include <compare>
#include <cstdint>
#include <vector>

#include "sim/plan/training/training_workload.hpp"

namespace fabricast::inline training {

// What an operation of a step is for.
enum class StepTag : std::uint8_t { tensor, context, expert, pipeline, data, compute, fixed };  // CommKind first

struct StepOp {
    StepTag tag = StepTag::compute;
    bool forward = true;
    std::uint32_t stage = 0;
    std::uint32_t micro_batch = 0;
    std::uint32_t chunk = 0;
    friend auto operator<=>(const StepOp&, const StepOp&) = default;
};

// GPipe: all forward passes, then all backward passes. 1F1B (Narayanan et al. 2021, 2.2): a stage first runs as many
// micro-batches forward as stages follow it, then alternates one forward and one backward; chunks are interleaved as in
// Megatron-Core, in rounds of `stages` micro-batches per chunk. Precondition: with chunks > 1, micro_batches is a
// multiple of stages.
std::vector<StepOp> stage_actions(PipelineOrder order, std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                  std::uint32_t micro_batches);

}  // namespace fabricast::inline training
