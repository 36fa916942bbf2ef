#pragma once
// What a measurement does not say and may well be otherwise than the scenario takes it: each as other scenarios.

#include <vector>

#include "validate/curves/derived.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline curves {

// NCCL's version: other releases usual on this generation of GPUs that were out when the file was written. The launch:
// one process for all GPUs of a node. GPUDirect between nodes over InfiniBand or RoCE: off.
std::vector<Unsaid> unsaid_of(const Measurement& measurement, const Derived& derived);

}  // namespace fabricast::inline curves
