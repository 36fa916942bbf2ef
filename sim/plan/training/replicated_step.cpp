#include "sim/plan/training/replicated_step.hpp"

// Every rank has all parameters and gradients of its stage (ddp); with zero-1 it has only a share of the optimizer's
// states. Gradients are reduced after the last micro-batch's backward pass, parameters gathered before the first
// forward pass.

#include <deque>
#include <functional>
#include <map>

#include "sim/plan/training/replicated_chunk.hpp"
#include "sim/plan/training/stage_turns.hpp"

namespace fabricast::inline training {

namespace {

class ReplicatedStep {
public:
    explicit ReplicatedStep(StepBuilder& builder)
        : builder_(builder), step_(builder.step()), layout_(step_.layout), turns_(builder) {
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            stages_.emplace_back();
            for (std::uint32_t chunk = 0; chunk < layout_.v; ++chunk) {
                stages_.back().push_back(replicated_chunk(step_, stage, chunk));
            }
        }
    }

    void add() {
        gather_parameters();
        const auto action = [&](const StepOp& what, std::uint32_t lane, const Ends& after) {
            return what.forward ? forward(what, lane, after) : backward(what, lane, after);
        };
        StageTurns::Body afterwards;
        if (defers()) {
            afterwards = std::bind_front(&ReplicatedStep::later, this);
        } else if (step_.workload.deferred_embedding) {
            afterwards = std::bind_front(&ReplicatedStep::head_weights, this);
        }
        turns_.run(action, afterwards);
        if (!step_.workload.overlap.gradients) {
            for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
                for (std::uint32_t chunk = layout_.v; chunk-- > 0;) {
                    reduce(stage, chunk, stages_[stage][chunk].whole, turns_.computed_by(stage));
                }
            }
        }
        std::vector<Held> held(layout_.p);
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            for (const ReplicatedChunk& chunk : stages_[stage]) { held[stage] += chunk.whole.held; }
        }
        add_copies(held);
        builder_.finish(held, joined(reduced_, turns_.computed_by_all()));
    }

private:
    bool defers() const { return defers_weights(layout_); }
    bool shares_states() const { return step_.workload.sharding >= Sharding::zero_1; }
    bool broadcasts() const {
        return step_.workload.adapters == 0 && step_.costs.framework_or("broadcast.tensors", 0) > 0;
    }
    bool all_reduces() const { return step_.costs.framework_or("reduce.whole", 0) > 0; }
    // Time that copies of these bytes of gradients take before and after their reduction, and their division.
    double copies(double bytes) const {
        return step_.costs.seconds(step_.costs.elementwise(step_.costs.framework_or("reduce.copies", 0) * bytes));
    }
    // Bytes of a parameter on its way to the ranks that compute with it.
    double parameter_bytes() const {
        const bool in_8_bits = step_.costs.narrow() && step_.workload.precision != Precision::fp4;
        const double wide = element_bytes(step_.workload.precision);
        return in_8_bits ? step_.costs.framework_or("gather.narrow", wide) : wide;
    }

    // After the last step's optimizer each rank has only its share of the new parameters. They are gathered bucket by
    // bucket in the order in which the first micro-batch needs them.
    void gather_parameters() {
        if (!shares_states()) { return; }
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            Ends chain;
            double all = 0;  // parameters of the stage's layers
            for (const ReplicatedChunk& chunk : stages_[stage]) { all += chunk.of_layers(); }
            for (std::uint32_t chunk = 0; chunk < layout_.v; ++chunk) {
                ReplicatedChunk& gathering = stages_[stage][chunk];
                for (const Piece& piece : gathering.pieces) {
                    const StepOp what{StepTag::data, true, stage, 0, chunk};
                    Held held = piece.held;
                    if (step_.workload.deferred_embedding && &piece == &gathering.pieces.back()) {
                        held.shared += gathering.ends.back_parameters;  // not in the piece, whose gradients are earlier
                    }
                    chain = broadcasts() ? builder_.broadcast_tensors(parts(gathering, piece, all), what, chain)
                                         : builder_.call_on(Collective::all_gather, parameter_bytes(),
                                                            step_.trained(held), layout_.sharded(stage), what, chain);
                    gathering.gathered.push_back(chain);
                }
            }
            if (!step_.workload.overlap.parameters) {  // everything is gathered before anything starts
                for (std::uint32_t lane = 0; lane < builder_.lanes(); ++lane) { turns_.computed(stage, lane) = chain; }
            }
        }
    }

    TensorBroadcast parts(const ReplicatedChunk& chunk, const Piece& piece, double all) const {
        const double front = &piece == &chunk.pieces.front() ? chunk.ends.front_parameters : 0;
        const double back = &piece == &chunk.pieces.back() ? chunk.ends.back_parameters : 0;
        const double inside = front + (step_.workload.deferred_embedding ? 0 : back);
        return {piece.held.total() - inside, all, front, back, parameter_bytes()};
    }

    // Reduces a piece's gradients after those of earlier pieces.
    void reduce(std::uint32_t stage, std::uint32_t chunk, const Piece& piece, const Ends& after) {
        const bool scatters = shares_states() && layout_.shard == layout_.replicas() && !all_reduces();
        const Collective collective = scatters ? Collective::reduce_scatter : Collective::all_reduce;
        const StepOp what{StepTag::data, false, stage, layout_.micro_batches - 1, chunk};
        Ends& chain = reducing_[stage];
        const Held held = step_.trained(piece.held);
        const double width = step_.costs.framework_or("reduce.bytes", gradient_bytes(step_.workload));
        chain = builder_.hold_up(copies(width * held.total()), what, joined(chain, after));
        chain = builder_.call_on(collective, width, held, layout_.data(stage), what, chain);
        reduced_ = joined(std::move(reduced_), chain);
    }

    Ends forward(const StepOp& what, std::uint32_t lane, Ends after) {
        const ReplicatedChunk& chunk = stages_[what.stage][what.chunk];
        after = builder_.compute(chunk.ends.before, what, lane, after);
        if (what.micro_batch == 0 && !chunk.gathered.empty()) {
            for (std::size_t i = 0; i < chunk.pieces.size(); ++i) {
                after = builder_.phases(chunk.pieces[i].forward, what, lane, joined(after, chunk.gathered[i]));
            }
        } else {
            after = builder_.phases(chunk.whole.forward, what, lane, after);
        }
        after = builder_.compute(chunk.ends.after, what, lane, after);
        return builder_.reduce_scales(what, lane, std::move(after));
    }

    Ends backward(const StepOp& what, std::uint32_t lane, Ends after) {
        ReplicatedChunk& chunk = stages_[what.stage][what.chunk];
        after = builder_.compute(chunk.ends.head_back, what, lane, after);
        if (what.micro_batch >= layout_.deferred) { after = builder_.compute(chunk.head_weights, what, lane, after); }
        if (is_last(what)) {
            chunk.ready.resize(chunk.pieces.size());
            for (std::size_t i = chunk.pieces.size(); i-- > 0;) {
                after = builder_.phases(chunk.pieces[i].backward, what, lane, after);
                if (step_.costs.framework_or("reduce.waits", 0) > 0) { after = joined(after, reducing_[what.stage]); }
                ReplicatedChunk::Ready& ready = chunk.ready[i];
                ready.ends = joined(std::move(ready.ends), after);
                if (++ready.lanes == builder_.lanes() && step_.workload.overlap.gradients && !defers()) {
                    reduce(what.stage, what.chunk, chunk.pieces[i], ready.ends);
                }
            }
        } else {
            after = builder_.phases(chunk.whole.backward, what, lane, after);
        }
        after = builder_.compute(chunk.ends.before, what, lane, after);
        after = builder_.reduce_scales(what, lane, std::move(after));
        return what.weights == WeightsAt::with_backward ? weights(what, lane, after) : after;
    }

    // What a stage does when it has sent an action's result. Zero-bubble: gradients of weights, of as many
    // micro-batches late as stages are before this one: each stage then keeps as many micro-batches, and the last ones
    // fill what would be the bubble at the end (Qi et al. 2023, 2.2, ZB-H1). DualPipe says itself when.
    Ends later(const StepOp& what, std::uint32_t lane, Ends after) {
        std::deque<StepOp>& waiting = weights_waiting_[{what.stage, lane}];
        if (!what.forward && (what.weights == WeightsAt::own_time || what.weights == WeightsAt::later)) {
            waiting.push_back(what);
        }
        const auto due = [&] {
            if (layout_.dual) { return what.weights == WeightsAt::now; }
            const bool last = what.micro_batch + 1 == layout_.micro_batches;
            return !what.forward && (last || waiting.front().micro_batch + what.stage <= what.micro_batch);
        };
        while (!waiting.empty() && due()) {
            after = weights(waiting.front(), lane, after);
            waiting.pop_front();
            if (layout_.dual) { break; }
        }
        return after;
    }

    // Gradients of the output matrix, of the micro-batches that wait, once the last has been sent back (Megatron-Core,
    // schedules.py, drain_embedding_wgrad_compute), and their reduction.
    Ends head_weights(const StepOp& what, std::uint32_t lane, Ends after) {
        const ReplicatedChunk& chunk = stages_[what.stage][what.chunk];
        if (what.forward || !is_last(what) || !(chunk.ends.back_parameters > 0)) { return after; }
        after = builder_.compute(layout_.deferred * chunk.head_weights, what, lane, after);
        head_ready_ = joined(std::move(head_ready_), after);
        if (lane + 1 == builder_.lanes() && step_.workload.overlap.gradients) {
            Piece head;
            head.held.shared = chunk.ends.back_parameters;
            reduce(what.stage, what.chunk, head, head_ready_);
        }
        return after;
    }

    Ends weights(const StepOp& what, std::uint32_t lane, Ends after) {
        ReplicatedChunk& chunk = stages_[what.stage][what.chunk];
        for (std::size_t i = chunk.pieces.size(); i-- > 0;) {
            after = builder_.compute(chunk.weights[i], what, lane, after);
            if (!is_last(what) || !step_.workload.overlap.gradients) { continue; }
            Ends& ready = chunk.ready[i].ends;
            ready = joined(std::move(ready), after);
            if (chunk.ready[i].lanes == builder_.lanes()) { reduce(what.stage, what.chunk, chunk.pieces[i], ready); }
        }
        return after;
    }

    bool is_last(const StepOp& what) const { return what.micro_batch + 1 == layout_.micro_batches_of_chunk(); }

    // DualPipe's two copies of each layer, on a stage and on the one as far from the other end, add their gradients: of
    // what each rank reduces and steps.
    void add_copies(const std::vector<Held>& held) {
        const std::uint32_t ranks = layout_.stage_ranks();
        const double shard = shares_states() ? layout_.shard : 1;
        const double experts_shard = shares_states() ? layout_.expert_shard() : 1;
        for (std::uint32_t stage = 0; layout_.dual && stage < layout_.p / 2; ++stage) {
            const Held of = step_.trained(held[stage]);
            const Groups pairs{2, (layout_.p - 1 - 2 * stage) * ranks, layout_.device_rank(stage), 2 * ranks};
            const double bytes = gradient_bytes(step_.workload) * (of.shared / shard + of.experts / experts_shard);
            const StepOp what{StepTag::data, false, stage, layout_.micro_batches - 1, 0};
            const Ends computed = joined(turns_.computed_by(stage), turns_.computed_by(layout_.p - 1 - stage));
            reduced_ = joined(std::move(reduced_), builder_.call({CommKind::data, Collective::all_reduce, bytes, 1},
                                                                 pairs, what, Layout::all, joined(reduced_, computed)));
        }
    }

    StepBuilder& builder_;
    const LayerCosts& step_;
    const Layout& layout_;
    StageTurns turns_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<StepOp>> weights_waiting_;  // [stage, lane]
    std::vector<std::vector<ReplicatedChunk>> stages_;                                       // [stage][chunk]
    std::map<std::uint32_t, Ends> reducing_;                                                 // [stage]
    Ends reduced_;
    Ends head_ready_;  // by all lanes
};

}  // namespace

void add_replicated_step(StepBuilder& builder) { ReplicatedStep(builder).add(); }

}  // namespace fabricast::inline training
