#pragma once
// Two models that a forecast must beat, with the constants that their sources give them. The same models with constants
// fitted to data: calibration/fitted_nulls.hpp.

#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// Alpha-beta: 7 us + hops * (0.6 us inside a node, 3 us between nodes) + f * S / B, with the ring's hops, nccl-tests'
// factor f and B from the datasheet: NVLink (else PCIe) of one GPU, or the node's NICs together. Seconds.
// Source of the constants: facts nccl-mechanisms.md §1 (a).
double alpha_beta(const CollectiveWorkload& workload, Bytes size, const Fabric& fabric);

// f * S / B of it, in seconds.
double datasheet_wire_time(const CollectiveWorkload& workload, Bytes size, const Fabric& fabric);

// NCCL's tuning model read as a clock. `expected` is what it says of the choice; for sends and receives, of which it
// has no model, a constant 12 us and the wire stand in. Source: facts nccl-mechanisms.md §1 (b).
double tuning_clock(double expected, const CollectiveWorkload& workload, Bytes size, const Fabric& fabric);

// The ring's steps, and how many of them leave a node.
struct Hops {
    double intra = 0, inter = 0;
};
Hops ring_hops(Collective collective, std::uint32_t ranks, std::uint32_t nodes);

}  // namespace fabricast
