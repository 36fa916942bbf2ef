#pragma once
// Which GPU does what: ranks are numbered tensor, context, data, pipeline, and every group of ranks that communicate
// has a constant stride. So four numbers describe all groups of a kind, however many there are.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/plan/collectives/plan.hpp"
#include "sim/plan/training/model_shape.hpp"
#include "sim/plan/training/training_workload.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline training {

// The parallelism does not fit the model or the cluster; the message says which figure is wrong and what would fit.
struct LayoutError : PlanError {
    LayoutError(std::string at, const std::string& what) : PlanError(what, std::move(at)) {}
};

// Concurrent groups: in each block of size * stride ranks, those that are `stride` apart form a group of `size` ranks.
struct Groups {
    std::uint32_t size = 1;
    std::uint32_t stride = 1;
    std::uint32_t first = 0;  // ranks [first, first + ranks) are all in such groups
    std::uint32_t ranks = 0;

    // The first rank of the i-th group.
    std::uint32_t base(std::uint32_t i) const { return first + i / stride * stride * size + i % stride; }
    std::uint32_t count() const { return ranks / size; }
    friend auto operator<=>(const Groups&, const Groups&) = default;
};

// Layers [first, first + count) of a model.
struct Layers {
    double first = 0, count = 0;
};

struct Layout {
    std::uint32_t t = 1, c = 1, e = 1, p = 1, v = 1, d = 1;  // tensor, context, expert, stages, chunks, data
    std::uint32_t x = 1;                                     // ranks that share an expert
    PipelineOrder order = PipelineOrder::one_f_one_b;        // of one stage: this one, for all orders are the same
    std::uint32_t shard = 1;                                 // ranks over which states or parameters are sharded
    bool dual =
        false;  // two chunks a stage, the second of a pipeline in the other direction: each layer is there twice
    std::uint32_t micro_batches = 1;  // per data rank and step
    std::uint32_t deferred = 0;  // of these, whose gradients of the output matrix wait for the end (deferred_embedding)
    std::uint32_t global_batch = 1;
    std::uint32_t gpus_per_node = 1;
    double tokens = 0;    // of one micro-batch on one GPU: b * s / c; for a convolutional network: images
    double sequence = 0;  // tokens of one whole sequence

    std::uint32_t stage_ranks() const { return t * c * d; }
    std::uint32_t replicas() const { return c * d; }  // ranks that hold the same parameters
    std::uint32_t world() const { return stage_ranks() * p; }
    // Pieces that a micro-batch passes, and the place of a stage's chunk among them.
    std::uint32_t pieces() const { return dual ? p : p * v; }
    std::uint32_t place(std::uint32_t stage, std::uint32_t chunk) const {
        return !dual ? chunk * p + stage : chunk == 0 ? stage : p - 1 - stage;
    }
    std::uint32_t copies() const { return dual ? 2 : 1; }  // of each layer in one pipeline
    std::uint32_t micro_batches_of_chunk() const { return micro_batches / copies(); }

    // Of the chunk on the stage: as evenly as possible, the first chunks may have one more. Where only layers + 2
    // divide evenly, embedding and loss count as a layer each (Megatron-Core, transformer_config.py,
    // account_for_embedding_in_pipeline_split), so that 126 layers of Llama 3.1 405B are cut as 128. By weights: a
    // chunk takes layers until it has more than its share of them and of the output matrix (nanotron, models/base.py),
    // unless the last one got none.
    Layers layers_of(const ModelShape& model, std::uint32_t stage, std::uint32_t chunk) const;

    // Groups of one stage, or of one data rank of it if `lane` is not `all`.
    static constexpr std::uint32_t all = 0xffffffffU;
    Groups groups(std::uint32_t size, std::uint32_t stride, std::uint32_t stage, std::uint32_t lane = all) const {
        return {size, stride, device_rank(stage, lane == all ? 0 : lane), lane == all ? stage_ranks() : t * c};
    }
    Groups tensor(std::uint32_t stage, std::uint32_t lane = all) const { return groups(t, 1, stage, lane); }
    Groups context(std::uint32_t stage, std::uint32_t lane = all) const { return groups(c, t, stage, lane); }
    Groups expert(std::uint32_t stage) const { return groups(e, x, stage); }
    // All ranks with the same parameters; with the same experts; those that shard states, `shard` neighbouring ranks;
    // those with the same shard.
    Groups data(std::uint32_t stage) const { return groups(replicas(), t, stage); }
    Groups expert_data(std::uint32_t stage) const { return groups(expert_copies(), x * e, stage); }
    std::uint32_t expert_copies() const { return stage_ranks() / (e * x); }
    // Ranks that share out the states of one expert.
    double expert_shard() const { return std::max(1.0, double(shard) * t / (e * x)); }
    Groups sharded(std::uint32_t stage) const { return groups(shard, t, stage); }
    Groups copies(std::uint32_t stage) const { return groups(replicas() / shard, t * shard, stage); }
    // The rank that represents all GPUs of its stage, or of the lane.
    std::uint32_t device_rank(std::uint32_t stage, std::uint32_t lane = 0) const {
        return stage * stage_ranks() + lane * t * c;
    }
};

// Throws LayoutError. `gpus` is the number of GPUs in the cluster; `gpus_per_node` sets the default shard of hsdp.
Layout make_layout(const TrainingWorkload& workload, const ModelShape& model, std::uint32_t gpus,
                   std::uint32_t gpus_per_node);

// In words, the keys that this layout gives nothing to do: notes, since a search or sweep over layouts keeps them.
std::vector<std::string> idle_keys(const TrainingWorkload& workload);

// The same events, with those of slow GPUs moved to their stage's representative: a step computes on representatives,
// and all GPUs that one represents wait for the slow one, at the next call of their group or before the step ends. If
// several are slow, the slowest at each moment counts: this is exact for one slow GPU per stage, and an upper bound if
// GPUs of different replicas are slow by turns.
std::vector<LinkEvent> at_representatives(const std::vector<LinkEvent>& events, const Layout& layout,
                                          const Fabric& fabric);

}  // namespace fabricast::inline training
