#pragma once
// The layouts of a training step that a search considers: a value for each axis.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plan/training/layout.hpp"
#include "sim/scenario/sweep_spec.hpp"

namespace fabricast::inline layouts {

enum class Axis : std::uint8_t {
    tensor,
    context,
    pipeline,
    expert,
    chunks,
    micro_batch,
    sharding,
    recompute,
    order,
    embedding,
    offload
};
inline constexpr std::size_t axes = 11;

// A value for each axis; of those with words, the number of the enumerator or flag.
using LayoutChoice = std::array<std::uint32_t, axes>;

// The key of a scenario that sets the axis; how its value is written there.
std::string_view key_of(Axis axis);
std::string value_text(Axis axis, std::uint32_t value);

LayoutChoice choice_of(const TrainingWorkload& workload);
// The workload with this layout; data ranks and shards follow from it.
TrainingWorkload with_layout(TrainingWorkload workload, const LayoutChoice& choice);
// "tensor 8, pipeline 16, chunks 4, micro-batch 1, zero-1, recompute half": without axes of 1, from one axis on.
std::string words_of(const LayoutChoice& choice, Axis from = Axis::tensor);
// Whether the axis has words for values, not numbers.
bool has_words(Axis axis);
// "workload.parallelism.tensor=8" and so on; order and what follows it only where it is not as `written`.
std::vector<std::string> overrides_of(const LayoutChoice& choice, const LayoutChoice& written);

// For each axis, the values that the user allows; none: those that docs/plan.md lists.
using AllowedLayouts = std::array<std::vector<std::uint32_t>, axes>;
// Throws InputError if a variation is of another key, or a value of another kind.
AllowedLayouts allowed_layouts(const std::vector<Variation>& vary);

// What decides which layouts there are.
struct LayoutLimits {
    const TrainingWorkload& workload;
    const ModelShape& model;
    std::uint32_t gpus = 1, gpus_per_node = 1;
    bool unfused_attention = false;  // only then does selective recomputation differ from none
};

// Every layout that fits the model, the batch and the cluster, ascending; else throws the LayoutError of the first.
std::vector<LayoutChoice> layout_space(const LayoutLimits& limits, const AllowedLayouts& allowed);

}  // namespace fabricast::inline layouts
