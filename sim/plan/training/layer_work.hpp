#pragma once
// The work of a layer's kernels for one micro-batch on one GPU, by their shapes.

#include "sim/plan/training/compute_costs.hpp"
#include "sim/plan/training/layout.hpp"

namespace fabricast::inline training {

// A product forward, or backward those for the gradients of its operand and of its weights.
Work trained_product(const ComputeCosts& costs, const Product& forward, bool backward);

struct LayerWork {
    const ComputeCosts& costs;
    const ModelShape& model;
    const TrainingWorkload& workload;
    const Layout& layout;

    // Tokens of the busiest rank of experts over the mean, if the workload says so; 0: as the framework has it.
    double skew() const { return layout.e > 1 ? workload.skew : 0; }

    Work both(const Product& forward, bool backward) const;
    Work embedding() const;          // before the first layer, forward or backward
    Work head(bool backward) const;  // last product and loss, after the last layer
    Work attention_products(bool backward) const;
    Work dense_products(double width, double tokens, bool backward) const;
    Work expert_products(bool backward) const;
    Work state_space(bool backward) const;
    Work small_kernels(bool experts, bool backward) const;
    Work attention(bool backward) const;
    Work around_attention(bool experts, bool backward) const;
};

}  // namespace fabricast::inline training
