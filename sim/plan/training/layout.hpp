#pragma once
// Which GPU does what: ranks are numbered tensor, context, data, pipeline, and every group of ranks that communicate is
// a strided set, so a kind of group is four numbers however many groups there are.

#include <cstdint>
#include <stdexcept>

#include "sim/plan/training/model_shape.hpp"
#include "sim/plan/training/training_workload.hpp"

namespace fabricast {

// The cut does not fit model or cluster; the message says which figure and what would fit. `key` is the scenario's.
struct LayoutError : std::runtime_error {
    LayoutError(std::string at, const std::string& what) : std::runtime_error(what), key(std::move(at)) {}
    std::string key;
};

// Concurrent groups: in each block of `block` ranks, those `stride` apart belong together, `size` of them.
struct Groups {
    std::uint32_t size = 1;
    std::uint32_t stride = 1;
    std::uint32_t first = 0;  // ranks [first, first + ranks) are all in such groups
    std::uint32_t ranks = 0;

    // The first rank of the i-th group.
    std::uint32_t base(std::uint32_t i) const { return first + i / stride * stride * size + i % stride; }
    std::uint32_t count() const { return ranks / size; }
};

struct Layout {
    std::uint32_t t = 1, c = 1, e = 1, p = 1, v = 1, d = 1;  // tensor, context, expert, stages, chunks, data
    std::uint32_t shard = 1;                                 // ranks over which states or parameters are shared out
    std::uint32_t micro_batches = 1;                         // of one data rank, each step
    std::uint32_t global_batch = 1;
    double tokens = 0;    // of one micro-batch on one GPU: b * s / c; images for a convolutional network
    double sequence = 0;  // tokens of one whole sequence

    std::uint32_t stage_ranks() const { return t * c * d; }
    std::uint32_t replicas() const { return c * d; }  // ranks that hold the same parameters
    std::uint32_t world() const { return stage_ranks() * p; }

    // Layers [first, first + count) of the chunk on the stage: as even as they divide, the first chunks have one more.
    double first_layer(const ModelShape& model, std::uint32_t stage, std::uint32_t chunk) const;
    double layers_of(const ModelShape& model, std::uint32_t stage, std::uint32_t chunk) const;

    // Groups of one stage; of one data rank of it where `lane` is given (all: none).
    static constexpr std::uint32_t all = 0xffffffffU;
    Groups tensor(std::uint32_t stage, std::uint32_t lane = all) const;
    Groups context(std::uint32_t stage, std::uint32_t lane = all) const;
    Groups expert(std::uint32_t stage) const;
    Groups data(std::uint32_t stage) const;         // all that hold the same parameters
    Groups expert_data(std::uint32_t stage) const;  // all that hold the same experts
    Groups sharded(std::uint32_t stage) const;      // those that share out states: `shard` neighbours of data
    Groups copies(std::uint32_t stage) const;       // the same shard in each group of them
    std::uint32_t device_rank(std::uint32_t stage, std::uint32_t lane = 0) const;  // stands for all of its stage
};

// Throws LayoutError. `gpus` of the cluster, `gpus_per_node` for the default shard of hsdp.
Layout make_layout(const TrainingWorkload& workload, const ModelShape& model, std::uint32_t gpus,
                   std::uint32_t gpus_per_node);

}  // namespace fabricast
