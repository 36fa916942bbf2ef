// Zero-2, zero-3 and hsdp without a pipeline: a layer's parameters are gathered while the one before it computes, its
// gradients scattered while the next one does (Zhao et al. 2023, PyTorch FSDP, 3.3). Gathers and scatters of one
// process group follow each other.

#include <algorithm>
#include <cmath>

#include "sim/workloads/step_parts.hpp"

namespace fabricast {

namespace {

// More operations than that tell nothing new: layers are taken together.
constexpr double most_units = 2400;

class ShardedStep {
public:
    ShardedStep(StepBuilder& builder, const StepContext& context) : builder_(builder), context_(context) {
        const double each = std::max(1.0, std::ceil(context.model.layers * context.layout.micro_batches / most_units));
        for (int unit = 0; unit * each < context.model.layers; ++unit) {
            const double first = unit * each;
            units_.push_back(layers_piece(context, first, std::min(each, context.model.layers - first)));
        }
        root_.shared = (embedding_parameters(context.model) + head_parameters(context.model)) / context.layout.t;
    }

    void add() {
        for (std::uint32_t m = 0; m < context_.layout.micro_batches; ++m) {
            micro_batch_ = m;
            forward();
            backward();
        }
        Held held = root_;
        for (const Piece& unit : units_) {
            held.shared += unit.held.shared;
            held.experts += unit.held.experts;
        }
        finish_step(builder_, context_, {held}, joined(compute_, wire_));
    }

private:
    Sharding sharding() const { return context_.workload.sharding; }
    bool gathers_again() const { return sharding() != Sharding::zero_2; }
    StepOp op(bool forward) const { return {StepTag::compute, forward, 0, micro_batch_, 0}; }

    // Behind the calls before it, and no earlier than `gate`.
    Ends gather(const Held& held, const Ends& gate, bool forward) {
        wire_ = builder_.call({CommKind::data, Collective::all_gather, 2 * held.shared, 1}, context_.layout.sharded(0),
                              op(forward), Layout::all, joined(wire_, gate));
        if (held.experts > 0) {
            wire_ = builder_.call({CommKind::data, Collective::all_gather, 2 * held.experts, 1},
                                  context_.layout.expert_data(0), op(forward), Layout::all, wire_);
        }
        return wire_;
    }

    void scatter(const Held& held) {
        const double width = context_.gradient_bytes();
        wire_ = builder_.call({CommKind::data, Collective::reduce_scatter, width * held.shared, 1},
                              context_.layout.sharded(0), op(false), Layout::all, joined(wire_, compute_));
        if (held.experts > 0) {
            wire_ = builder_.call({CommKind::data, Collective::reduce_scatter, width * held.experts, 1},
                                  context_.layout.expert_data(0), op(false), Layout::all, wire_);
        }
        if (sharding() == Sharding::hsdp) {
            const double shard = width * held.shared / context_.layout.shard;
            wire_ = builder_.call({CommKind::data, Collective::all_reduce, shard, 1}, context_.layout.copies(0),
                                  op(false), Layout::all, wire_);
        }
        if (!context_.workload.overlap.gradients) {
            compute_ = joined(compute_, wire_);
        }
    }

    void forward() {
        const bool gathers = gathers_again() || micro_batch_ == 0;
        const auto ahead = static_cast<std::size_t>(context_.costs.framework("layers_ahead"));
        std::vector<Ends> done{compute_};  // compute before the first unit, behind it, ...
        Ends arrived = gathers ? gather(root_, compute_, true) : Ends{};
        compute_ = builder_.compute(context_.layers.embedding(), op(true), 0, joined(compute_, arrived));
        for (std::size_t u = 0; u < units_.size(); ++u) {
            if (gathers) {
                const bool early = context_.workload.overlap.parameters && u >= ahead;
                arrived = gather(units_[u].held, early ? done.at(u - ahead) : done.back(), true);
            }
            compute_ = builder_.phases(units_[u].forward, op(true), 0, joined(compute_, arrived));
            done.push_back(compute_);
        }
        compute_ = builder_.compute(context_.layers.head(false), op(true), 0, compute_);
    }

    void backward() {
        compute_ = builder_.compute(context_.layers.head(true), op(false), 0, compute_);
        Ends arrived;  // the last unit's parameters are still there
        for (std::size_t u = units_.size(); u-- > 0;) {
            Ends next;
            if (gathers_again() && u > 0) {
                next = gather(units_[u - 1].held, context_.workload.overlap.parameters ? compute_ : Ends{}, false);
            }
            compute_ = builder_.phases(units_[u].backward, op(false), 0, joined(compute_, arrived));
            scatter(units_[u].held);
            arrived = std::move(next);
        }
        compute_ = builder_.compute(context_.layers.embedding(), op(false), 0, compute_);
        scatter(root_);
    }

    StepBuilder& builder_;
    const StepContext& context_;
    std::vector<Piece> units_;
    Held root_;
    Ends compute_, wire_;
    std::uint32_t micro_batch_ = 0;
};

}  // namespace

void add_sharded_step(StepBuilder& builder, const StepContext& context) { ShardedStep(builder, context).add(); }

}  // namespace fabricast
