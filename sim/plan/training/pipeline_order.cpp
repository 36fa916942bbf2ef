#include "sim/plan/training/pipeline_order.hpp"

#include <algorithm>

namespace fabricast::inline training {

namespace {

// The k-th forward (or backward) of a stage: in each round, `stages` micro-batches go through one chunk after the
// other.
StepOp nth(bool forward, std::uint32_t stage, std::uint32_t k, std::uint32_t stages, std::uint32_t chunks) {
    const std::uint32_t round = k / (stages * chunks);
    const std::uint32_t place = k % (stages * chunks);
    const std::uint32_t chunk = place / stages;
    return {StepTag::compute, forward, stage, round * stages + place % stages, forward ? chunk : chunks - 1 - chunk};
}

}  // namespace

std::vector<StepOp> stage_actions(PipelineOrder order, std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                  std::uint32_t micro_batches) {
    const std::uint32_t total = micro_batches * chunks;
    // Without interleaving, all micro-batches form one round.
    const std::uint32_t round = chunks == 1 ? std::max(1U, micro_batches) : stages;
    std::vector<StepOp> actions;
    actions.reserve(std::size_t{2} * total);
    std::uint32_t ahead = total;
    if (order == PipelineOrder::one_f_one_b) {
        ahead = chunks == 1 ? stages - stage - 1 : 2 * (stages - stage - 1) + (chunks - 1) * stages;
        ahead = std::min(ahead, total);
    }
    for (std::uint32_t k = 0; k < ahead; ++k) { actions.push_back(nth(true, stage, k, round, chunks)); }
    for (std::uint32_t k = ahead; k < total; ++k) {
        actions.push_back(nth(true, stage, k, round, chunks));
        actions.push_back(nth(false, stage, k - ahead, round, chunks));
    }
    for (std::uint32_t k = total - ahead; k < total; ++k) { actions.push_back(nth(false, stage, k, round, chunks)); }
    return actions;
}

}  // namespace fabricast::inline training
