#pragma once
// The part of `derive` that handles what ran: NCCL, its environment, and who launched it.

#include "validate/curves/derived.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline curves {

// Fills `out.scenario.library`, `out.scenario.launch` and `out.group.nccl_era`. Precondition: the node is derived,
// whose generation decides the NCCL version if nothing else does.
void derive_software(const Measurement& measurement, Derived& out);

}  // namespace fabricast::inline curves
