#pragma once
// Derives the scenario that forecasts a measurement from the statements in its file. What the file leaves open becomes
// an assumption, which is printed; a statement that no alias matches is refused with its name.

#include "topologies/fabric.hpp"
#include "validate/curves/derived.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline curves {

// Throws InputError at the statement that is not understood, with the accepted values and the nearest name.
Derived derive(const Measurement& measurement);

// Whether data between GPUs pass through the host's memory: no NVLinks join them, and peers are off or too far apart by
// NCCL's default; or NCCL_P2P_DISABLE=1.
bool through_host(const Derived& derived, const Fabric& fabric);

// The group, corrected from the built fabric: whether PCIe cards reach each other directly or go through the host is
// not stated in any file, but follows from the node template and NCCL's settings.
SystemGroup group_on(const Fabric& fabric, const Derived& derived);

}  // namespace fabricast::inline curves
