#include "sim/workloads/lowering.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>

#include "sim/workloads/pipeline_order.hpp"
#include "sim/workloads/step_parts.hpp"

namespace fabricast {

namespace {

// Gradients of a chunk are reduced in so many buckets at most: more of them tell nothing new.
constexpr double most_buckets = 12;

// One chunk of a stage: whole, and as pieces for the micro-batch whose gradients or parameters travel.
struct Chunk {
    Piece whole;
    std::vector<Piece> pieces;      // in forward order
    Work before, after, head_back;  // embedding in front, head behind, and the head's backward
};

class PipelinedStep {
public:
    PipelinedStep(StepBuilder& builder, const StepContext& context)
        : builder_(builder), context_(context), layout_(context.layout) {
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            stages_.emplace_back();
            for (std::uint32_t chunk = 0; chunk < layout_.v; ++chunk) {
                stages_.back().push_back(context.model.convolutional() ? network() : make_chunk(stage, chunk));
            }
        }
    }

    void add() {
        gather_parameters();
        run_all();
        Ends all = reduced_;
        for (const auto& [key, ends] : compute_) {
            all = joined(std::move(all), ends);
        }
        std::vector<Held> held(layout_.p);
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            for (const Chunk& chunk : stages_[stage]) {
                held[stage].shared += chunk.whole.held.shared;
                held[stage].experts += chunk.whole.held.experts;
            }
        }
        finish_step(builder_, context_, held, all);
    }

private:
    struct ActionKey {
        std::uint32_t stage, lane, chunk, micro_batch;
        bool forward;
        auto operator<=>(const ActionKey&) const = default;
    };

    bool shares_states() const { return context_.workload.sharding >= Sharding::zero_1; }
    bool broadcasts() const { return context_.costs.framework_or("broadcast_per_rank", 0) > 0; }

    Chunk make_chunk(std::uint32_t stage, std::uint32_t place) const {
        const double first = layout_.first_layer(context_.model, stage, place);
        const double count = layout_.layers_of(context_.model, stage, place);
        Chunk chunk;
        chunk.whole = layers_piece(context_, first, count);
        const bool front = stage == 0 && place == 0;
        const bool back = stage + 1 == layout_.p && place + 1 == layout_.v;
        if (front) {
            chunk.before = context_.layers.embedding();
            chunk.whole.held.shared += embedding_parameters(context_.model) / layout_.t;
        }
        if (back) {
            chunk.after = context_.layers.head(false);
            chunk.head_back = context_.layers.head(true);
            chunk.whole.held.shared += head_parameters(context_.model) / layout_.t;
        }
        const double bucket = context_.workload.bucket.count > 0 ? static_cast<double>(context_.workload.bucket.count)
                                                                 : context_.costs.framework("bucket");
        const double wanted = std::ceil(4 * chunk.whole.held.total() / bucket);
        const double buckets = std::max(1.0, std::min({wanted, most_buckets, count}));
        for (int b = 0; b < buckets; ++b) {
            const double from = std::floor(b * count / buckets);
            const double to = std::floor((b + 1) * count / buckets);
            chunk.pieces.push_back(layers_piece(context_, first + from, to - from));
        }
        chunk.pieces.front().held.shared += front ? embedding_parameters(context_.model) / layout_.t : 0;
        chunk.pieces.back().held.shared += back ? head_parameters(context_.model) / layout_.t : 0;
        return chunk;
    }

    // A convolutional network as one chunk; buckets fill from the last layer on.
    Chunk network() const {
        Chunk chunk;
        const std::vector<LayerCosts::Part> forward = context_.layers.network(false);
        const std::vector<LayerCosts::Part> backward = context_.layers.network(true);
        const double bucket = context_.workload.bucket.count > 0 ? static_cast<double>(context_.workload.bucket.count)
                                                                 : context_.costs.framework("bucket");
        for (std::size_t i = forward.size(); i-- > 0;) {
            if (chunk.pieces.empty() || context_.gradient_bytes() * chunk.pieces.front().held.shared >= bucket) {
                chunk.pieces.insert(chunk.pieces.begin(), Piece{{Phase{}}, {Phase{}}, {}});
            }
            Piece& piece = chunk.pieces.front();
            piece.forward.front().work += forward[i].work;
            piece.backward.front().work += backward[i].work;
            piece.held.shared += forward[i].parameters;
            chunk.whole.held.shared += forward[i].parameters;
        }
        for (const Piece& piece : chunk.pieces) {
            chunk.whole.forward.insert(chunk.whole.forward.end(), piece.forward.begin(), piece.forward.end());
            chunk.whole.backward.insert(chunk.whole.backward.begin(), piece.backward.begin(), piece.backward.end());
        }
        return chunk;
    }

    StepOp op(std::uint32_t stage, const PipelineAction& action) const {
        return {StepTag::compute, action.forward, stage, action.micro_batch, action.chunk};
    }

    // Parameters as the last step's optimizer left them: each rank has its share. Bucket by bucket in the order in
    // which the first micro-batch needs them.
    void gather_parameters() {
        if (!shares_states() || broadcasts()) {
            return;
        }
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            Ends chain;
            for (std::uint32_t chunk = 0; chunk < layout_.v; ++chunk) {
                for (const Piece& piece : stages_[stage][chunk].pieces) {
                    const StepOp what{StepTag::data, true, stage, 0, chunk};
                    chain = builder_.call({CommKind::data, Collective::all_gather, 2 * piece.held.shared, 1},
                                          layout_.sharded(stage), what, Layout::all, chain);
                    if (piece.held.experts > 0) {
                        chain = builder_.call({CommKind::data, Collective::all_gather, 2 * piece.held.experts, 1},
                                              layout_.expert_data(stage), what, Layout::all, chain);
                    }
                    gathered_[{stage, chunk}].push_back(chain);
                }
            }
            if (!context_.workload.overlap.parameters) {  // all of it before anything starts
                for (std::uint32_t lane = 0; lane < builder_.lanes(); ++lane) {
                    compute_[{stage, lane}] = chain;
                }
            }
        }
    }

    // Reduces a piece's gradients behind those before it.
    void reduce(std::uint32_t stage, std::uint32_t chunk, const Piece& piece, const Ends& after) {
        const double width = context_.gradient_bytes();
        const bool scatters = shares_states() && layout_.shard == layout_.replicas() && !broadcasts();
        const Collective collective = scatters ? Collective::reduce_scatter : Collective::all_reduce;
        const StepOp what{StepTag::data, false, stage, layout_.micro_batches - 1, chunk};
        Ends& chain = reducing_[stage];
        chain = builder_.call({CommKind::data, collective, width * piece.held.shared, 1}, layout_.data(stage), what,
                              Layout::all, joined(chain, after));
        if (piece.held.experts > 0) {
            chain = builder_.call({CommKind::data, collective, width * piece.held.experts, 1},
                                  layout_.expert_data(stage), what, Layout::all, chain);
        }
        reduced_ = joined(std::move(reduced_), chain);
    }

    void forward(std::uint32_t stage, std::uint32_t lane, const PipelineAction& action, Ends after) {
        const Chunk& chunk = stages_[stage][action.chunk];
        const StepOp what = op(stage, action);
        after = builder_.compute(chunk.before, what, lane, after);
        const auto gathered = gathered_.find({stage, action.chunk});
        if (action.micro_batch == 0 && gathered != gathered_.end()) {
            for (std::size_t i = 0; i < chunk.pieces.size(); ++i) {
                after = builder_.phases(chunk.pieces[i].forward, what, lane, joined(after, gathered->second[i]));
            }
        } else {
            after = builder_.phases(chunk.whole.forward, what, lane, after);
        }
        after = builder_.compute(chunk.after, what, lane, after);
        compute_[{stage, lane}] = after;
        const bool last = stage + 1 == layout_.p;
        if (layout_.p > 1 && !(last && action.chunk + 1 == layout_.v)) {
            const std::uint32_t to = last ? 0 : stage + 1;
            arrived_[{to, lane, action.chunk + (last ? 1 : 0), action.micro_batch, true}] =
                builder_.send(context_.layers.boundary(), stage, to, what, lane, after);
        }
    }

    void backward(std::uint32_t stage, std::uint32_t lane, const PipelineAction& action, Ends after) {
        const Chunk& chunk = stages_[stage][action.chunk];
        const StepOp what = op(stage, action);
        after = builder_.compute(chunk.head_back, what, lane, after);
        if (action.micro_batch + 1 == layout_.micro_batches) {
            for (std::size_t i = chunk.pieces.size(); i-- > 0;) {
                after = builder_.phases(chunk.pieces[i].backward, what, lane, after);
                Ends& ready = ready_[{stage, action.chunk, static_cast<std::uint32_t>(i)}];
                ready = joined(std::move(ready), after);
                const bool all_lanes =
                    ++lanes_ready_[{stage, action.chunk, static_cast<std::uint32_t>(i)}] == builder_.lanes();
                if (all_lanes && context_.workload.overlap.gradients) {
                    reduce(stage, action.chunk, chunk.pieces[i], ready);
                }
            }
        } else {
            after = builder_.phases(chunk.whole.backward, what, lane, after);
        }
        after = builder_.compute(chunk.before, what, lane, after);
        compute_[{stage, lane}] = after;
        const bool first = stage == 0;
        if (layout_.p > 1 && !(first && action.chunk == 0)) {
            const std::uint32_t to = first ? layout_.p - 1 : stage - 1;
            arrived_[{to, lane, action.chunk - (first ? 1 : 0), action.micro_batch, false}] =
                builder_.send(context_.layers.boundary(), stage, to, what, lane, after);
        }
    }

    // What an action waits for from other stages; nothing where it is not there yet.
    std::optional<Ends> inputs(std::uint32_t stage, std::uint32_t lane, const PipelineAction& action) const {
        const bool starts =
            action.forward ? stage == 0 && action.chunk == 0 : stage + 1 == layout_.p && action.chunk + 1 == layout_.v;
        if (starts || layout_.p == 1) {
            return Ends{};
        }
        const auto found = arrived_.find({stage, lane, action.chunk, action.micro_batch, action.forward});
        return found == arrived_.end() ? std::nullopt : std::optional(found->second);
    }

    // Stages take turns: each goes on as far as its inputs are there.
    void run_all() {
        struct Place {
            std::uint32_t stage, lane;
            std::vector<PipelineAction> actions;
            std::size_t next = 0;
        };
        std::vector<Place> places;
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            for (std::uint32_t lane = 0; lane < builder_.lanes(); ++lane) {
                places.push_back(
                    {stage, lane,
                     stage_actions(context_.workload.order, stage, layout_.p, layout_.v, layout_.micro_batches)});
            }
        }
        for (bool moved = true; moved;) {
            moved = false;
            for (Place& place : places) {
                while (place.next < place.actions.size()) {
                    const PipelineAction& action = place.actions[place.next];
                    const std::optional<Ends> waits = inputs(place.stage, place.lane, action);
                    if (!waits) {
                        break;
                    }
                    Ends after = joined(compute_[{place.stage, place.lane}], *waits);
                    action.forward ? forward(place.stage, place.lane, action, std::move(after))
                                   : backward(place.stage, place.lane, action, std::move(after));
                    ++place.next;
                    moved = true;
                }
            }
        }
        for ([[maybe_unused]] const Place& place : places) {
            assert(place.next == place.actions.size());
        }
        if (!context_.workload.overlap.gradients) {
            for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
                Ends done;
                for (std::uint32_t lane = 0; lane < builder_.lanes(); ++lane) {
                    done = joined(std::move(done), compute_[{stage, lane}]);
                }
                for (std::uint32_t chunk = layout_.v; chunk-- > 0;) {
                    reduce(stage, chunk, stages_[stage][chunk].whole, done);
                }
            }
        }
    }

    using PieceKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    StepBuilder& builder_;
    const StepContext& context_;
    const Layout& layout_;
    std::vector<std::vector<Chunk>> stages_;                                         // [stage][chunk]
    std::map<std::pair<std::uint32_t, std::uint32_t>, Ends> compute_;                // [stage, lane]
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Ends>> gathered_;  // [stage, chunk][piece]
    std::map<std::uint32_t, Ends> reducing_;                                         // [stage]
    std::map<ActionKey, Ends> arrived_;
    std::map<PieceKey, Ends> ready_;
    std::map<PieceKey, std::uint32_t> lanes_ready_;
    Ends reduced_;
};

double ideal_seconds(const StepContext& context) {
    const ModelShape& model = context.model;
    double sum = 0;
    if (model.convolutional()) {
        for (const bool backward : {false, true}) {
            for (const LayerCosts::Part& part : context.layers.network(backward)) {
                sum += context.costs.seconds(part.work);
            }
        }
        return sum * context.layout.micro_batches;
    }
    const Piece all = layers_piece(context, 0, model.layers);
    for (const Phases& phases : {all.forward, all.backward}) {
        for (const Phase& phase : phases) {
            sum += context.costs.seconds(phase.work);
        }
    }
    sum += context.costs.seconds(context.layers.head(false) + context.layers.head(true));
    return sum * context.layout.micro_batches / context.layout.p;
}

}  // namespace

double StepContext::gradient_bytes() const {
    if (workload.gradient_bytes > 0) {
        return workload.gradient_bytes;
    }
    return workload.sharding >= Sharding::zero_3 ? 2 : 4;
}

Piece layers_piece(const StepContext& context, double first, double count) {
    double sparse = 0;
    for (int i = 0; i < count; ++i) {
        sparse += context.model.has_experts(first + i) ? 1 : 0;
    }
    Piece piece;
    const auto append = [](Phases& phases, const Phases& more) {
        phases.insert(phases.end(), more.begin(), more.end());
    };
    if (count > sparse) {
        append(piece.forward, (count - sparse) * context.layers.forward(false));
    }
    if (sparse > 0) {
        append(piece.forward, sparse * context.layers.forward(true));
        append(piece.backward, sparse * context.layers.backward(true));
    }
    if (count > sparse) {
        append(piece.backward, (count - sparse) * context.layers.backward(false));
    }
    const double all = context.layers.parameters_of(first, count, false);
    piece.held.shared = context.layers.parameters_of(first, count, true);
    piece.held.experts = all - piece.held.shared;
    return piece;
}

Ends finish_step(StepBuilder& builder, const StepContext& context, const std::vector<Held>& held_of_stage,
                 const Ends& after) {
    const double shard = context.workload.sharding == Sharding::ddp ? 1 : context.layout.shard;
    Ends done;
    for (std::uint32_t stage = 0; stage < held_of_stage.size(); ++stage) {
        const Held& held = held_of_stage[stage];
        const double experts_shard = std::max(1.0, shard / context.layout.e);
        const Work work = context.costs.optimizer(held.shared / shard + held.experts / experts_shard, held.total());
        const StepOp what{StepTag::fixed, false, stage, context.layout.micro_batches - 1, 0};
        for (std::uint32_t lane = 0; lane < builder.lanes(); ++lane) {
            done = joined(std::move(done), builder.compute(work, what, lane, after));
        }
    }
    // A framework that sends each rank's new parameters to all others in turn.
    const double each = context.costs.framework_or("broadcast_per_rank", 0);
    const double broadcasts = context.workload.sharding == Sharding::zero_1 && shard > 1 ? each * shard : 0;
    const StepOp what{StepTag::fixed, false, 0, context.layout.micro_batches - 1, 0};
    done = builder.wait(from_seconds(broadcasts), what, std::move(done));
    return builder.wait(from_seconds(context.costs.framework("step")), what, std::move(done));
}

StepPlan plan_step(const TrainingWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
                   const Catalog& catalog, Replicas replicas) {
    StepPlan plan;
    plan.model = model_shape(catalog, workload);
    plan.layout = make_layout(workload, plan.model, fabric.gpu_count(), fabric.gpus_per_node());
    const ComputeCosts costs(catalog, fabric.node().gpu, workload, fabric.node_count());
    const LayerCosts layers(costs, plan.model, workload, plan.layout);
    const StepContext context{workload, plan.model, plan.layout, costs, layers};
    GroupCalls calls(fabric, library, catalog);
    StepBuilder builder(plan, fabric, calls, costs, replicas == Replicas::folded ? 1 : plan.layout.d);
    const bool by_layer = workload.sharding >= Sharding::zero_2 && plan.layout.p == 1 && !plan.model.convolutional();
    if (by_layer) {
        add_sharded_step(builder, context);
    } else {
        PipelinedStep(builder, context).add();
    }
    plan.memory = step_memory(plan.model, workload, plan.layout, layers);
    plan.volumes = volumes(plan.model, workload, plan.layout, layers);
    const double samples = plan.layout.global_batch;
    plan.model_flops = samples * plan.layout.sequence * model_flops(plan.model, plan.layout.sequence);
    plan.peak = costs.peak();
    plan.ideal_s = ideal_seconds(context);
    plan.figures = costs.figures();
    for (FigureUsed& figure : calls.figures()) {
        plan.figures.push_back(std::move(figure));
    }
    plan.notes = calls.notes();
    return plan;
}

}  // namespace fabricast
