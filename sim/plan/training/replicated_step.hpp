#pragma once
// A step whose ranks hold all parameters and gradients of their stage.

#include "sim/plan/training/step_parts.hpp"

namespace fabricast {

// The two kinds of step (ddp and zero-1; zero-2, zero-3 and hsdp), each with or without a pipeline.
void add_replicated_step(StepBuilder& builder, const StepContext& context);

}  // namespace fabricast
