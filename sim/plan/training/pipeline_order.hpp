#pragma once
// The order in which a pipeline stage runs its micro-batches: what makes bubbles.

#include <cstdint>
#include <vector>

#include "sim/plan/training/training_workload.hpp"

namespace fabricast {

struct PipelineAction {
    bool forward = true;
    std::uint32_t micro_batch = 0;
    std::uint32_t chunk = 0;
};

// GPipe: all forward, then all backward. 1F1B (Narayanan et al. 2021, 2.2): a stage runs ahead by as many micro-batches
// as stages follow it, then one forward, one backward; with chunks interleaved as Megatron-Core does, in rounds of
// `stages` micro-batches a chunk. Precondition: with chunks > 1, micro_batches is a multiple of stages.
std::vector<PipelineAction> stage_actions(PipelineOrder order, std::uint32_t stage, std::uint32_t stages,
                                          std::uint32_t chunks, std::uint32_t micro_batches);

}  // namespace fabricast
