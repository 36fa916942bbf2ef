#pragma once
// The pipeline of a step: when each action of each stage runs, and what stages send each other.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/plan/training/step_builder.hpp"

namespace fabricast::inline training {

// The order in which a pipeline stage runs its micro-batches, which causes bubbles. GPipe: all forward passes, then all
// backward passes. 1F1B (Narayanan et al. 2021, 2.2): a stage first runs as many micro-batches forward as stages follow
// it, then alternates one forward and one backward; chunks are interleaved as in Megatron-Core, in rounds of `stages`
// micro-batches per chunk. Precondition: with chunks > 1, micro_batches is a multiple of stages; of dual_pipe,
// Layout's.
std::vector<StepOp> stage_actions(PipelineOrder order, std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                  std::uint32_t micro_batches);

class StageTurns {
public:
    // Adds an action to the schedule: it computes no earlier than `after`. Returns the operations that end it.
    using Body = std::function<Ends(const StepOp& what, std::uint32_t lane, const Ends& after)>;

    explicit StageTurns(StepBuilder& builder) : builder_(builder), step_(builder.step()) {}

    // Adds every stage's actions in their order, each as soon as everything that it waits for has been added. `later`,
    // if any, adds what a stage still has to do when it has sent an action's result, and gradients of weights that
    // wait.
    void run(const Body& body, const Body& later = {});

    // The end of what the stage's lane has computed so far; what comes next waits for it.
    Ends& computed(std::uint32_t stage, std::uint32_t lane) { return computed_[{stage, lane}]; }
    Ends computed_by(std::uint32_t stage) const;  // by all lanes of the stage
    Ends computed_by_all() const;

private:
    using ActionKey = std::pair<std::uint32_t, StepOp>;  // lane, action

    // Without what only its own stage knows of it.
    static StepOp action(StepOp what) {
        what.weights = WeightsAt::own_time;
        what.with_next = false;
        return what;
    }

    struct Sent {
        std::uint32_t to = 0;
        bool taken = false;  // the receiver has reached it too
        Ends ends;
    };

    // 1F1B without interleaving sends and receives in one batch and waits for both before it continues to compute:
    // Megatron-Core, schedules.py, send_forward_recv_backward, which refuses overlap_p2p_comm; PyTorch's Schedule1F1B,
    // _batch_p2p. So a stage does not start an all-to-all while it still sends. Other orders send during computation.
    bool sends_block() const { return step_.layout.order == PipelineOrder::one_f_one_b && step_.layout.v == 1; }
    std::optional<Ends> inputs(const StepOp& what, std::uint32_t lane) const;
    void post(const StepOp& what, std::uint32_t lane, const Ends& computed);
    bool receive(const StepOp& what, std::uint32_t lane);

    StepBuilder& builder_;
    const LayerCosts& step_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Ends> computed_;  // [stage, lane]
    std::map<ActionKey, Ends> arrived_;
    // By the action that receives it: the sender's operation and what it has computed.
    std::map<ActionKey, std::pair<StepOp, Ends>> posted_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Sent> sent_;  // [stage, lane]: the message of its last action
};

}  // namespace fabricast::inline training
