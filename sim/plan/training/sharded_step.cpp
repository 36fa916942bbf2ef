#include "sim/plan/training/sharded_step.hpp"

// Zero-2, zero-3 and hsdp: a layer's parameters are gathered while the previous layer computes, and its gradients are
// scattered while the next one computes (Zhao et al. 2023, PyTorch FSDP, 3.3). With a pipeline this happens for each
// chunk and micro-batch. Zero-2 keeps parameters once they are gathered. Gathers and scatters of one process group run
// one after another. Of a long ring's latency computing does not hide all: each rank of a group holds up computing by
// the framework's `gather.rank` in each of its layers' collectives, of which a layer has as many as it fills buckets.

#include <algorithm>
#include <cmath>

#include "sim/plan/training/stage_turns.hpp"

namespace fabricast::inline training {

namespace {

// Limit of layers times micro-batches: beyond it several layers become one unit, because more operations would hardly
// change the result.
constexpr double most_units = 2400;

struct ShardedChunk {
    std::vector<Piece> units;  // in forward order
    double layers_a_unit = 1;
    ChunkEnds ends;
    Held root;  // embedding and head: gathered before the chunk runs, scattered after it
    bool root_there = false;
};

struct Stage {
    std::vector<ShardedChunk> chunks;
    Ends wire;                           // end of the gathers and scatters so far
    const ShardedChunk* last = nullptr;  // has just run forward: its last unit's parameters are still gathered
};

class ShardedStep {
public:
    explicit ShardedStep(StepBuilder& builder)
        : builder_(builder), step_(builder.step()), layout_(step_.layout), turns_(builder), stages_(layout_.p) {
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            for (std::uint32_t chunk = 0; chunk < layout_.v; ++chunk) {
                stages_[stage].chunks.push_back(make_chunk(stage, chunk));
            }
        }
    }

    void add() {
        turns_.run([&](const StepOp& what, std::uint32_t, const Ends& after) {
            return what.forward ? forward(what, after) : backward(what, after);
        });
        Ends all = turns_.computed_by_all();
        std::vector<Held> held(layout_.p);
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            all = joined(std::move(all), stages_[stage].wire);
            for (const ShardedChunk& chunk : stages_[stage].chunks) {
                held[stage] += chunk.root;
                for (const Piece& unit : chunk.units) { held[stage] += unit.held; }
            }
        }
        builder_.finish(held, all);
    }

private:
    bool gathers_again() const { return step_.workload.sharding != Sharding::zero_2; }

    ShardedChunk make_chunk(std::uint32_t stage, std::uint32_t place) const {
        ShardedChunk chunk;
        chunk.ends = step_.ends(stage, place);
        if (step_.model.convolutional()) {
            chunk.units = step_.network_pieces(step_.costs.framework("bucket"));
            return chunk;
        }
        const double each = std::max(1.0, std::ceil(step_.model.layers * layout_.micro_batches / most_units));
        chunk.layers_a_unit = each;
        const auto [first, count] = layout_.layers_of(step_.model, stage, place);
        for (int unit = 0; unit == 0 || unit * each < count; ++unit) {
            chunk.units.push_back(step_.piece({first + unit * each, std::min(each, count - unit * each)}));
        }
        chunk.root.shared = chunk.ends.front_parameters + chunk.ends.back_parameters;
        return chunk;
    }

    // A rank that shares these parameters with nobody: it has nothing to gather or to scatter.
    bool alone(const Held& held, std::uint32_t stage) const {
        return layout_.sharded(stage).size == 1 && layout_.copies(stage).size == 1 &&
               (held.experts == 0 || layout_.expert_data(stage).size == 1);
    }

    // Buckets that these parameters fill, which are of `layers` layers: each layer begins with a new one.
    static double buckets(double width, const Held& held, double layers, Bytes bucket) {
        const double of_layer = width * held.total() / layers;
        return bucket.count > 0 ? std::max(1.0, std::ceil(of_layer / static_cast<double>(bucket.count))) : 1;
    }
    double gathers_a_layer(const Held& held, double layers) const {
        return buckets(element_bytes(step_.workload.precision), held, layers, step_.workload.gather_bucket);
    }
    double scatters_a_layer(const Held& grown, double layers) const {
        return buckets(gradient_bytes(step_.workload), grown, layers, step_.workload.bucket);
    }
    // Several layers that are one unit are one call, unless each of them is several.
    static double calls(double of_layer, double layers) { return of_layer > 1 ? of_layer * layers : 1; }

    // Gathers after the stage's earlier calls, and no earlier than `gate`.
    Ends gather(const Held& held, double layers, const StepOp& what, const Ends& gate) {
        if (alone(held, what.stage)) { return gate; }
        Ends& wire = stages_[what.stage].wire;
        const double width = element_bytes(step_.workload.precision);
        return wire = builder_.call_on(Collective::all_gather, width, held, layout_.sharded(what.stage), what,
                                       joined(wire, gate), calls(gathers_a_layer(held, layers), layers));
    }

    // Scatters the gradients that `computed` has made; returns what the next computation waits for.
    Ends scatter(const Held& held, double layers, const StepOp& what, const Ends& computed) {
        if (alone(held, what.stage)) { return computed; }
        const double width = gradient_bytes(step_.workload);
        Ends& wire = stages_[what.stage].wire;
        const Held grown = step_.trained(held);
        wire = builder_.call_on(Collective::reduce_scatter, width, grown, layout_.sharded(what.stage), what,
                                joined(wire, computed), calls(scatters_a_layer(grown, layers), layers));
        if (step_.workload.sharding == Sharding::hsdp) {
            wire = builder_.call({CommKind::data, Collective::all_reduce, width * grown.shared / layout_.shard, 1},
                                 layout_.copies(what.stage), what, Layout::all, wire);
        }
        const bool waits = !step_.workload.overlap.gradients || step_.costs.framework_or("scatter.waits", 0) > 0;
        return waits ? joined(computed, wire) : computed;
    }

    // What a unit's collectives hold up, so many of each of its layers.
    Ends held_up(const ShardedChunk& chunk, double collectives, const StepOp& what, Ends after) {
        const double each = step_.costs.framework_or("gather.rank", 0) * layout_.sharded(what.stage).size;
        return builder_.hold_up(collectives * chunk.layers_a_unit * each, what, std::move(after));
    }

    // XLA's loop over layers reduces the scales of each by itself, other frameworks those of a pass at its end.
    bool scales_by_layer() const { return step_.costs.framework_or("scales.layer", 0) > 0; }
    Ends layers_scales(const ShardedChunk& chunk, const StepOp& what, Ends after) {
        if (!scales_by_layer()) { return after; }
        return builder_.reduce_scales(chunk.layers_a_unit, chunk.layers_a_unit, what, 0, std::move(after));
    }
    Ends pass_scales(const StepOp& what, Ends after) {
        return scales_by_layer() ? after : builder_.reduce_scales(what, 0, std::move(after));
    }

    // If gathers overlap, an action's first gather does not wait for what other stages send.
    Ends first_gate(std::uint32_t stage, const Ends& after) {
        return step_.workload.overlap.parameters ? turns_.computed(stage, 0) : after;
    }

    Ends forward(const StepOp& what, Ends after) {
        ShardedChunk& chunk = stages_[what.stage].chunks[what.chunk];
        const double each = chunk.layers_a_unit;
        const bool gathers = gathers_again() || what.micro_batch == 0;
        const auto ahead = static_cast<std::size_t>(step_.costs.framework("layers_ahead"));
        std::vector<Ends> done{first_gate(what.stage, after)};  // end of: what is before unit 0, unit 0, unit 1 ...
        Ends arrived;
        if (gathers && !chunk.root_there) {
            arrived = gather(chunk.root, 1, what, done.front());
            chunk.root_there = true;
        }
        after = builder_.compute(chunk.ends.before, what, 0, joined(after, arrived));
        for (std::size_t u = 0; u < chunk.units.size(); ++u) {
            if (gathers) {
                const bool early = step_.workload.overlap.parameters;
                arrived = gather(chunk.units[u].held, each, what,
                                 !early       ? after
                                 : u >= ahead ? done.at(u - ahead)
                                              : done.back());
                after = held_up(chunk, gathers_a_layer(chunk.units[u].held, each), what, std::move(after));
            }
            after = builder_.phases(chunk.units[u].forward, what, 0, joined(after, arrived));
            after = layers_scales(chunk, what, std::move(after));
            done.push_back(after);
        }
        stages_[what.stage].last = &chunk;
        return pass_scales(what, builder_.compute(chunk.ends.after, what, 0, after));
    }

    Ends backward(const StepOp& what, Ends after) {
        ShardedChunk& chunk = stages_[what.stage].chunks[what.chunk];
        const double each = chunk.layers_a_unit;
        const bool early = step_.workload.overlap.parameters;
        const Ends first = first_gate(what.stage, after);
        if (gathers_again() && !chunk.root_there) { after = joined(after, gather(chunk.root, 1, what, first)); }
        bool there = !gathers_again() || stages_[what.stage].last == &chunk;
        Ends arrived = there || !early ? Ends{} : gather(chunk.units.back().held, each, what, first);
        after = builder_.compute(chunk.ends.head_back, what, 0, after);
        for (std::size_t u = chunk.units.size(); u-- > 0;) {
            const Held& held = chunk.units[u].held;
            if (!there && !early) { arrived = gather(held, each, what, after); }
            const bool more = gathers_again() && early && u > 0;
            Ends next = more ? gather(chunk.units[u - 1].held, each, what, after) : Ends{};
            after = builder_.phases(chunk.units[u].backward, what, 0, joined(after, arrived));
            after = layers_scales(chunk, what, std::move(after));
            after = scatter(held, each, what, after);
            const double again = gathers_again() ? gathers_a_layer(held, each) : 0;
            after = held_up(chunk, again + scatters_a_layer(step_.trained(held), each), what, std::move(after));
            arrived = std::move(next);
            there = !gathers_again();
        }
        after = pass_scales(what, builder_.compute(chunk.ends.before, what, 0, after));
        chunk.root_there = !gathers_again();
        stages_[what.stage].last = nullptr;
        return scatter(chunk.root, 1, what, after);
    }

    StepBuilder& builder_;
    const LayerCosts& step_;
    const Layout& layout_;
    StageTurns turns_;
    std::vector<Stage> stages_;
};

}  // namespace

void add_sharded_step(StepBuilder& builder) { ShardedStep(builder).add(); }

}  // namespace fabricast::inline training
