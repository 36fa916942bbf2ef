#include "sim/plan/training/step_bound.hpp"

#include <algorithm>

namespace fabricast::inline training {

namespace {

// Bytes per second that can leave a GPU, and a node, of the kind that sets the pace; links have two directions.
struct Exits {
    double gpu = 0, node = 0;
};

Exits exits_of(const Fabric& fabric) {
    Exits exits;
    const std::uint32_t node = fabric.wired_node(fabric.pace());
    const DeviceId gpu{fabric.first_device(node)};
    for (std::uint32_t i = fabric.first_link(node); i < fabric.first_link(node + 1); ++i) {
        const LinkEnds ends = fabric.ends(LinkId{i});
        if (ends.resource) { continue; }
        const double capacity = fabric.link(LinkId{i}).capacity;
        exits.gpu += ends.from == gpu ? capacity : 0;
        exits.node +=
            fabric.kind(ends.to) == DeviceKind::fabric_switch || fabric.wired_node_of(ends.to) != node ? capacity : 0;
    }
    return exits;
}

class Bound {
public:
    Bound(const LayerCosts& step, const Fabric& fabric)
        : step_(step), layout_(step.layout), fabric_(fabric), exits_(exits_of(fabric)) {}

    double seconds() const {
        double longest = 0, through = 0, last = 0;
        for (std::uint32_t stage = 0; stage < layout_.p; ++stage) {
            double busy = 0, first_chunk = 0, wire = 0;
            Held held;
            for (std::uint32_t chunk = 0; chunk < layout_.v; ++chunk) {
                const Piece piece = step_.piece(layout_.layers_of(step_.model, stage, chunk));
                const ChunkEnds ends = step_.ends(stage, chunk);
                const double pass = passes(piece, ends, stage);
                first_chunk = chunk == 0 ? pass : first_chunk;
                busy += pass;
                wire += shared_state(piece.held, stage);
                held += piece.held;
                held.shared += ends.front_parameters + ends.back_parameters;
            }
            longest = std::max({longest, through + layout_.micro_batches_of_chunk() * busy, wire});
            through += layout_.dual ? 0 : first_chunk;
            last = std::max(last, optimizer(held));
        }
        return longest + last + step_.costs.framework("step");
    }

private:
    // Forward and backward of one micro-batch through a chunk.
    double passes(const Piece& piece, const ChunkEnds& ends, std::uint32_t stage) const {
        return through(piece.forward, stage) + through(piece.backward, stage) +
               step_.costs.seconds(2.0 * ends.before + ends.after + ends.head_back);
    }

    // Phases follow each other; in a phase the calls of tensor ranks do, beside its work.
    double through(const Phases& phases, std::uint32_t stage) const {
        double all = 0;
        for (const Phase& phase : phases) {
            const double work = step_.costs.seconds(phase.work);
            double calls = 0;
            for (const GroupCall& call : phase.calls) {
                if (call.kind == CommKind::tensor) { calls += call.times * least(layout_.tensor(stage), call.bytes); }
            }
            all += std::max(work, calls);
        }
        return all;
    }

    // Gathers of parameters and reductions of gradients of one chunk, which follow each other on a stage. Zero-3 and
    // hsdp gather a micro-batch's layers for each pass, but may still have the last one when it goes back.
    double shared_state(const Held& held, std::uint32_t stage) const {
        const Sharding how = step_.workload.sharding;
        if (how < Sharding::zero_2 || held.experts > 0) { return 0; }
        const double gathers = how == Sharding::zero_2 ? 1 : layout_.micro_batches;
        const double scatters = layout_.micro_batches;
        return gathers * least(layout_.sharded(stage), element_bytes(step_.workload.precision) * held.shared) +
               scatters * least(layout_.sharded(stage), gradient_bytes(step_.workload) * step_.trained(held).shared);
    }

    double optimizer(const Held& all) const {
        const Held held = step_.trained(all);
        return step_.costs.seconds(step_.costs.optimizer(step_.stepped(held), held.total()));
    }

    // A gather, scatter or all-reduce of `bytes`: every rank, and every node that has some of the ranks, takes in or
    // gives away all but its own share. None where nodes have different numbers of a group's ranks.
    double least(const Groups& groups, double bytes) const {
        const std::uint32_t gpus = fabric_.gpus_per_node(), block = groups.size * groups.stride;
        if (groups.size > 1 && gpus % block == 0) { return (1 - 1.0 / groups.size) * bytes / exits_.gpu; }
        const bool even = block % gpus == 0 && (gpus % groups.stride == 0 || groups.stride % gpus == 0);
        if (groups.size == 1 || !even || !(exits_.node > 0)) { return 0; }
        const std::uint32_t groups_of_a_node = std::min(gpus, groups.stride);
        const double nodes = groups.size / (gpus / groups_of_a_node);
        return groups_of_a_node * (1 - 1 / nodes) * bytes / exits_.node;
    }

    const LayerCosts& step_;
    const Layout& layout_;
    const Fabric& fabric_;
    Exits exits_;
};

}  // namespace

double least_step_seconds(const LayerCosts& step, const Fabric& fabric) {
    constexpr double rounding = 1 - 1e-6;  // calls move whole bytes, times are whole picoseconds
    return step.model.convolutional() ? 0 : rounding * Bound(step, fabric).seconds();
}

}  // namespace fabricast::inline training
