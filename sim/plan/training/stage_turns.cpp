#include "sim/plan/training/stage_turns.hpp"

#include <algorithm>
#include <array>
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
            places.push_back({lane, stage_actions(layout.order, stage, layout.p, layout.v, layout.micro_batches)});
        }
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (Place& place : places) {
            for (; place.next < place.actions.size(); ++place.next) {
                const StepOp& what = place.actions[place.next];
                if (what.weights == WeightsAt::now) {
                    Ends& computed = computed_[{what.stage, place.lane}];
                    computed = later(what, place.lane, computed);
                    moved = true;
                    continue;
                }
                const bool received = receive(what, place.lane);
                moved = moved || received;
                std::optional<Ends> waits = inputs(what, place.lane);
                if (waits && what.with_next) {
                    const std::optional<Ends> more = inputs(place.actions[place.next + 1], place.lane);
                    waits = more ? std::optional(joined(*waits, *more)) : std::nullopt;
                }
                if (!waits) { break; }
                Ends& computed = computed_[{what.stage, place.lane}];
                const Ends launched = joined(builder_.launch(what, place.lane),
                                             builder_.offload_activations(what, place.lane, joined(computed, *waits)));
                computed = joined(body(what, place.lane, joined(computed, *waits)), launched);
                sent_.erase({what.stage, place.lane});
                moved = true;
                if (what.with_next) { continue; }
                if (place.next > 0 && place.actions[place.next - 1].with_next) {
                    post(place.actions[place.next - 1], place.lane, computed);
                }
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
    const std::uint32_t place = layout.place(what.stage, what.chunk);
    const bool starts = what.forward ? place == 0 : place + 1 == layout.pieces();
    Ends waits;
    if (!starts && layout.p > 1) {
        const auto found = arrived_.find({lane, action(what)});
        if (found == arrived_.end()) { return std::nullopt; }
        waits = found->second;
    }
    if (const auto own = sent_.find({what.stage, lane}); own != sent_.end()) {
        if (!own->second.taken) { return std::nullopt; }
        waits = joined(std::move(waits), own->second.ends);
    }
    return waits;
}

// Sends activations to the stage of the next place, or gradients to that of the previous one; the last stage's
// activations go to the first stage's next chunk, and gradients the other way.
void StageTurns::post(const StepOp& what, std::uint32_t lane, const Ends& computed) {
    const Layout& layout = step_.layout;
    const std::uint32_t place = layout.place(what.stage, what.chunk);
    if (layout.p == 1 || (what.forward ? place + 1 == layout.pieces() : place == 0)) { return; }
    StepOp next = action(what);
    const std::uint32_t to = what.forward ? place + 1 : place - 1;
    next.stage = layout.dual && what.chunk == 1 ? layout.p - 1 - to : to % layout.p;
    if (!layout.dual) { next.chunk = to / layout.p; }
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
    const auto posted = posted_.find({lane, action(what)});
    if (posted == posted_.end()) { return false; }
    const auto& [sending, computed] = posted->second;
    Ends after = joined(computed, computed_[{what.stage, lane}]);
    if (const auto own = sent_.find({what.stage, lane}); own != sent_.end() && own->second.to != sending.stage) {
        if (!own->second.taken) { return false; }
        after = joined(std::move(after), own->second.ends);
    }
    const Ends ends = builder_.send(sending, what.stage, lane, after);
    arrived_[{lane, action(what)}] = ends;
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

// DualPipe's schedule, its eight steps (github.com/deepseek-ai/DualPipe, dualpipe.py, step): F and B of the direction
// that the stage is nearer to the beginning of (`near`) and of the other; W: the oldest gradients of weights that wait.
std::vector<StepOp> dual_actions(std::uint32_t stage, std::uint32_t stages, std::uint32_t micro_batches) {
    const std::uint32_t half = stages / 2, inner = std::min(stage, stages - 1 - stage), outer = half - inner - 1;
    const std::uint32_t near = stage < half ? 0 : 1;
    std::vector<StepOp> actions;
    std::array<std::uint32_t, 2> forwards{}, backwards{};
    const auto forward = [&](std::uint32_t chunk) {
        actions.push_back({StepTag::compute, true, stage, forwards.at(chunk)++, chunk});
    };
    const auto backward = [&](std::uint32_t chunk, bool waits) {
        actions.push_back({StepTag::compute, false, stage, backwards.at(chunk)++, chunk,
                           waits ? WeightsAt::later : WeightsAt::with_backward});
    };
    const auto both = [&](std::uint32_t onward, std::uint32_t back) {
        forward(onward);
        actions.back().with_next = true;
        backward(back, false);
    };
    const auto weights = [&] { actions.push_back({StepTag::compute, false, stage, 0, 0, WeightsAt::now}); };
    const std::uint32_t far = 1 - near;
    for (std::uint32_t i = 0; i < 2 * outer; ++i) { forward(near); }
    for (std::uint32_t i = 0; i <= inner; ++i) { forward(near), forward(far); }
    for (std::uint32_t i = 0; i < outer; ++i) { backward(far, true), weights(), forward(far); }
    for (std::uint32_t i = 0; i < micro_batches / 2 + inner + 1 - stages; ++i) {
        both(near, far), both(far, near);
        if (i == 0 && outer == 0) { actions[actions.size() - 4].with_next = false; }  // the middle's first pair
    }
    for (std::uint32_t i = 0; i < outer; ++i) { backward(far, false), both(far, near); }
    for (std::uint32_t i = 0; i <= 2 * inner + 1; ++i) { backward(i % 2 == 0 ? far : near, i > inner); }
    for (std::uint32_t i = 0; i < outer; ++i) { weights(), backward(near, true); }
    for (std::uint32_t i = 0; i <= inner; ++i) { weights(); }
    return actions;
}

}  // namespace

std::vector<StepOp> stage_actions(PipelineOrder order, std::uint32_t stage, std::uint32_t stages, std::uint32_t chunks,
                                  std::uint32_t micro_batches) {
    if (order == PipelineOrder::dual_pipe) { return dual_actions(stage, stages, micro_batches); }
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
