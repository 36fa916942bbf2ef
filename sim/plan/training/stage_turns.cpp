#include "sim/plan/training/stage_turns.hpp"

#include <cassert>
#include <vector>

namespace fabricast::inline training {

// Stages take turns: each continues as long as its inputs are there.
void StageTurns::run(const Body& body) {
    const Layout& layout = context_.layout;
    struct Place {
        std::uint32_t stage, lane;
        std::vector<PipelineAction> actions;
        std::size_t next = 0;
    };
    std::vector<Place> places;
    for (std::uint32_t stage = 0; stage < layout.p; ++stage) {
        for (std::uint32_t lane = 0; lane < builder_.lanes(); ++lane) {
            places.push_back(
                {stage, lane, stage_actions(context_.workload.order, stage, layout.p, layout.v, layout.micro_batches)});
        }
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (Place& place : places) {
            while (place.next < place.actions.size()) {
                const PipelineAction& action = place.actions[place.next];
                const bool received = receive(place.stage, place.lane, action);
                moved = moved || received;
                const std::optional<Ends> waits = inputs(place.stage, place.lane, action);
                if (!waits) { break; }
                Ends& computed = computed_[{place.stage, place.lane}];
                computed = body(place.stage, place.lane, action, joined(computed, *waits));
                sent_.erase({place.stage, place.lane});
                post(place.stage, place.lane, action, computed);
                ++place.next;
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

bool StageTurns::has_input(std::uint32_t stage, const PipelineAction& action) const {
    const Layout& layout = context_.layout;
    const bool starts =
        action.forward ? stage == 0 && action.chunk == 0 : stage + 1 == layout.p && action.chunk + 1 == layout.v;
    return !starts && layout.p > 1;
}

// What an action waits for: the input from another stage and, if sends block, the stage's own last send; nullopt if one
// of them has not been added yet.
std::optional<Ends> StageTurns::inputs(std::uint32_t stage, std::uint32_t lane, const PipelineAction& action) const {
    Ends waits;
    if (has_input(stage, action)) {
        const auto found = arrived_.find({stage, lane, action.chunk, action.micro_batch, action.forward});
        if (found == arrived_.end()) { return std::nullopt; }
        waits = found->second;
    }
    if (const auto own = sent_.find({stage, lane}); own != sent_.end()) {
        if (!own->second.taken) { return std::nullopt; }
        waits = joined(std::move(waits), own->second.ends);
    }
    return waits;
}

// Sends activations to the next stage or gradients to the previous one; the last stage's activations go to the first
// stage's next chunk, and gradients the other way.
void StageTurns::post(std::uint32_t stage, std::uint32_t lane, const PipelineAction& action, const Ends& computed) {
    const Layout& layout = context_.layout;
    const bool wraps = action.forward ? stage + 1 == layout.p : stage == 0;
    const std::uint32_t last_chunk = action.forward ? layout.v - 1 : 0;
    if (layout.p == 1 || (wraps && action.chunk == last_chunk)) { return; }
    const std::uint32_t next = action.forward ? stage + 1 : stage + layout.p - 1;
    const std::uint32_t to = next % layout.p;
    const std::uint32_t chunk = !wraps ? action.chunk : action.forward ? action.chunk + 1 : action.chunk - 1;
    const StepOp what{StepTag::pipeline, action.forward, stage, action.micro_batch, action.chunk};
    const ActionKey key{to, lane, chunk, action.micro_batch, action.forward};
    if (!sends_block()) {
        arrived_[key] = builder_.send(context_.layers.boundary(), stage, to, what, lane, computed);
        return;
    }
    posted_[key] = {what, computed};
    sent_[{stage, lane}] = {to, false, {}};
}

// If sends block, a message moves once both ends have reached it. What a stage sends to the stage that it receives from
// is in the same batch; what it sends to the other neighbour has left before.
bool StageTurns::receive(std::uint32_t stage, std::uint32_t lane, const PipelineAction& action) {
    const ActionKey key{stage, lane, action.chunk, action.micro_batch, action.forward};
    const auto posted = posted_.find(key);
    if (posted == posted_.end()) { return false; }
    const auto& [what, computed] = posted->second;
    Ends after = joined(computed, computed_[{stage, lane}]);
    if (const auto own = sent_.find({stage, lane}); own != sent_.end() && own->second.to != what.stage) {
        if (!own->second.taken) { return false; }
        after = joined(std::move(after), own->second.ends);
    }
    const Ends ends = builder_.send(context_.layers.boundary(), what.stage, stage, what, lane, after);
    arrived_[key] = ends;
    sent_[{what.stage, lane}] = {stage, true, ends};
    posted_.erase(posted);
    return true;
}

}  // namespace fabricast::inline training
