#include "sim/plan/training/stage_turns.hpp"

#include <algorithm>
#include <cassert>

namespace fabricast::inline training {

// Stages take turns: each continues as long as its inputs are there.
void StageTurns::run(const Body& body, const Body& later) {
    const Layout& layout = step_.layout;
    struct Place {
        std::uint32_t lane;
        std::vector<StepOp> actions;
        std::size_t next = 0;
    };
    std::vector<Place> places;
    for (std::uint32_t stage = 0; stage < layout.p; ++stage) {
        for (std::uint32_t lane = 0; lane < builder_.lanes(); ++lane) {
            places.push_back(
                {lane, stage_actions(step_.workload.order, stage, layout.p, layout.v, layout.micro_batches)});
        }
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (Place& place : places) {
            for (; place.next < place.actions.size(); ++place.next) {
                const StepOp& what = place.actions[place.next];
                const bool received = receive(what, place.lane);
                moved = moved || received;
                const std::optional<Ends> waits = inputs(what, place.lane);
                if (!waits) { break; }
                Ends& computed = computed_[{what.stage, place.lane}];
                const Ends launched = builder_.launch(what, place.lane);
                computed = joined(body(what, place.lane, joined(computed, *waits)), launched);
                sent_.erase({what.stage, place.lane});
                post(what, place.lane, computed);
                if (later) { computed = later(what, place.lane, computed); }
                moved = true;
            }
        }
    }
    for ([[maybe_unused]] const Place& place : places) { assert(place.next == place.actions.size()); }
}

Ends StageTurns::computed_by(std::uint32_t stage) const {
    Ends all;
    for (const auto& [place, ends] : computed_) {
        if (place.first == stage) { all = joined(std::move(all), ends); }
    }
    return all;
}

Ends StageTurns::computed_by_all() const {
    Ends all;
    for (const auto& [place, ends] : computed_) { all = joined(std::move(all), ends); }
    return all;
}

// What an action waits for: the input from another stage and, if sends block, the stage's own last send; nullopt if one
// of them has not been added yet.
std::optional<Ends> StageTurns::inputs(const StepOp& what, std::uint32_t lane) const {
    const Layout& layout = step_.layout;
    const bool starts =
        what.forward ? what.stage == 0 && what.chunk == 0 : what.stage + 1 == layout.p && what.chunk + 1 == layout.v;
    Ends waits;
    if (!starts && layout.p > 1) {
        const auto found = arrived_.find({lane, what});
        if (found == arrived_.end()) { return std::nullopt; }
        waits = found->second;
    }
    if (const auto own = sent_.find({what.stage, lane}); own != sent_.end()) {
        if (!own->second.taken) { return std::nullopt; }
        waits = joined(std::move(waits), own->second.ends);
    }
    return waits;
}

// Sends activations to the next stage or gradients to the previous one; the last stage's activations go to the first
// stage's next chunk, and gradients the other way.
void StageTurns::post(const StepOp& what, std::uint32_t lane, const Ends& computed) {
    const Layout& layout = step_.layout;
    const bool wraps = what.forward ? what.stage + 1 == layout.p : what.stage == 0;
    const std::uint32_t last_chunk = what.forward ? layout.v - 1 : 0;
    if (layout.p == 1 || (wraps && what.chunk == last_chunk)) { return; }
    StepOp next = what;
    next.stage = (what.forward ? what.stage + 1 : what.stage + layout.p - 1) % layout.p;
    if (wraps) { next.chunk = what.forward ? what.chunk + 1 : what.chunk - 1; }
    StepOp sending = what;
    sending.tag = StepTag::pipeline;
    if (!sends_block()) {
        arrived_[{lane, next}] = builder_.send(sending, next.stage, lane, computed);
        return;
    }
    posted_[{lane, next}] = {sending, computed};
    sent_[{what.stage, lane}] = {next.stage, false, {}};
}

// If sends block, a message moves once both ends have reached it. What a stage sends to the stage that it receives from
// is in the same batch; what it sends to the other neighbour has left before.
bool StageTurns::receive(const StepOp& what, std::uint32_t lane) {
    const auto posted = posted_.find({lane, what});
    if (posted == posted_.end()) { return false; }
    const auto& [sending, computed] = posted->second;
    Ends after = joined(computed, computed_[{what.stage, lane}]);
    if (const auto own = sent_.find({what.stage, lane}); own != sent_.end() && own->second.to != sending.stage) {
        if (!own->second.taken) { return false; }
        after = joined(std::move(after), own->second.ends);
    }
    const Ends ends = builder_.send(sending, what.stage, lane, after);
    arrived_[{lane, what}] = ends;
    sent_[{sending.stage, lane}] = {what.stage, true, ends};
    posted_.erase(posted);
    return true;
}

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
    if (order != PipelineOrder::gpipe) {
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
