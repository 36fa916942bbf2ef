#include "sim/plan/training/plan_step.hpp"

#include <algorithm>

#include "sim/plan/training/replicated_step.hpp"
#include "sim/plan/training/sharded_step.hpp"

namespace fabricast::inline training {

Piece layers_piece(const LayerCosts& step, const Layers& layers) {
    double sparse = 0;
    for (int i = 0; i < layers.count; ++i) { sparse += step.model.has_experts(layers.first + i) ? 1 : 0; }
    const double dense = layers.count - sparse;
    Piece piece;
    const auto append = [](Phases& phases, const Phases& more) {
        phases.insert(phases.end(), more.begin(), more.end());
    };
    if (dense > 0) { append(piece.forward, dense * step.forward(false)); }
    if (sparse > 0) {
        append(piece.forward, sparse * step.forward(true));
        append(piece.backward, sparse * step.backward(true));
    }
    if (dense > 0) { append(piece.backward, dense * step.backward(false)); }
    piece.held = step.held(layers);
    return piece;
}

std::vector<Piece> network_pieces(const LayerCosts& step, double bucket) {
    const std::vector<LayerCosts::Part> forward = step.network(false);
    const std::vector<LayerCosts::Part> backward = step.network(true);
    std::vector<Piece> pieces;
    for (std::size_t i = forward.size(); i-- > 0;) {
        if (pieces.empty() || gradient_bytes(step.workload) * pieces.front().held.shared >= bucket) {
            pieces.insert(pieces.begin(), Piece{{Phase{}}, {Phase{}}, {}});
        }
        Piece& piece = pieces.front();
        piece.forward.front().work += forward[i].work;
        piece.backward.front().work += backward[i].work;
        piece.held.shared += forward[i].parameters;
    }
    return pieces;
}

ChunkEnds chunk_ends(const LayerCosts& step, std::uint32_t stage, std::uint32_t chunk) {
    const Layout& layout = step.layout;
    ChunkEnds ends;
    if (step.model.convolutional()) { return ends; }
    if (stage == 0 && chunk == 0) {
        ends.before = step.embedding();
        ends.front_parameters = embedding_parameters(step.model) / layout.t;
    }
    if (stage + 1 == layout.p && chunk + 1 == layout.v) {
        ends.after = step.head(false);
        ends.head_back = step.head(true);
        ends.back_parameters = head_parameters(step.model) / layout.t;
    }
    return ends;
}

Ends call_on(StepBuilder& builder, Collective collective, double width, const Held& held, const Groups& groups,
             const StepOp& what, const Ends& after) {
    Ends ends = builder.call({CommKind::data, collective, width * held.shared, 1}, groups, what, Layout::all, after);
    return held.experts > 0 ? builder.call({CommKind::data, collective, width * held.experts, 1},
                                           builder.step().layout.expert_data(what.stage), what, Layout::all, ends)
                            : ends;
}

Ends finish_step(StepBuilder& builder, const std::vector<Held>& held_of_stage, const Ends& after) {
    const LayerCosts& step = builder.step();
    const double shard = step.workload.sharding == Sharding::ddp ? 1 : step.layout.shard;
    Ends done;
    for (std::uint32_t stage = 0; stage < held_of_stage.size(); ++stage) {
        const Held& held = held_of_stage[stage];
        const double experts_shard = std::max(1.0, shard / step.layout.e);
        const Work work = step.costs.optimizer(held.shared / shard + held.experts / experts_shard, held.total());
        const StepOp what{StepTag::fixed, false, stage, step.layout.micro_batches - 1, 0};
        for (std::uint32_t lane = 0; lane < builder.lanes(); ++lane) {
            done = joined(std::move(done), builder.compute(work, what, lane, after));
        }
    }
    // Some frameworks broadcast the new parameters rank by rank.
    const double each = step.costs.framework_or("broadcast_per_rank", 0);
    const double broadcasts = step.workload.sharding == Sharding::zero_1 && shard > 1 ? each * shard : 0;
    const StepOp what{StepTag::fixed, false, 0, step.layout.micro_batches - 1, 0};
    done = builder.wait(from_seconds(broadcasts), what, std::move(done));
    return builder.wait(from_seconds(step.costs.framework("step")), what, std::move(done));
}

StepPlan plan_step(const TrainingWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
                   const Catalog& catalog, Replicas replicas) {
    StepPlan plan;
    plan.model = model_shape(catalog, workload);
    plan.layout = make_layout(workload, plan.model, fabric.gpu_count(), fabric.gpus_per_node());
    const ComputeCosts costs(catalog, fabric.node().gpu, workload, fabric.node_count());
    const LayerCosts step{costs, plan.model, workload, plan.layout};
    GroupCalls calls(fabric, library, catalog);
    const bool by_layer = workload.sharding >= Sharding::zero_2;
    const bool folded = replicas == Replicas::folded || by_layer;
    StepBuilder builder(plan, fabric, calls, step, folded ? 1 : plan.layout.d);
    by_layer ? add_sharded_step(builder) : add_replicated_step(builder);
    plan.memory = step_memory(step);
    const double samples = plan.layout.global_batch;
    plan.model_flops = samples * plan.layout.sequence * model_flops(plan.model, plan.layout.sequence);
    plan.peak = costs.peak();
    plan.figures = costs.figures();
    for (FigureUsed& figure : calls.figures()) { plan.figures.push_back(std::move(figure)); }
    plan.notes = calls.notes();
    for (std::size_t kind = 0; kind < comm_kinds; ++kind) {
        plan.evidence[kind] = calls.evidence(static_cast<CommKind>(kind));
    }
    plan.evidence_notes = calls.evidence_notes();
    return plan;
}

}  // namespace fabricast::inline training
