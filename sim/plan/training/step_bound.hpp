#pragma once
// A time that no forecast of a step falls below, told without a replay: what a search over layouts needs to leave out
// most of them and still find the best.

#include "sim/plan/training/layer_costs.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline training {

// Seconds. A stage computes its work one kernel after the other on an idle GPU at best, waits for the first
// micro-batch to come through the stages before it and for its last one to go back through them, and the step ends with
// an optimizer and what the framework adds. A collective takes at least what its ranks must receive or send over what
// can enter or leave a GPU, or a node. docs/plan.md derives it.
double least_step_seconds(const LayerCosts& step, const Fabric& fabric);

}  // namespace fabricast::inline training
