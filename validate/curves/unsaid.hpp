#pragma once
// What a measurement does not say and may well be otherwise than its scenario takes it. Each other case is a scenario
// of its own; a forecast over all of them is a mixture (MixedForecaster), and its interval as wide as they lie apart.

#include <vector>

#include "topologies/fabric.hpp"
#include "validate/curves/derived.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline curves {

// NCCL's version: other releases usual on this generation of GPUs that were out when the file was written. The launch:
// one process for all GPUs of a node. Between nodes: GPUDirect off, half as many NICs. Of a box: another number of
// sockets. Of cards that exchange data through the memory of a host that is not named: one that carries a half or a
// quarter of what their slots do.
std::vector<Unsaid> unsaid_of(const Measurement& measurement, const Derived& derived, const Fabric& fabric);

}  // namespace fabricast::inline curves
