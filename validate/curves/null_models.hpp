#pragma once
// Two simple models that a forecast must beat, with the constants that their sources state.
// calibration/fitted_nulls.hpp has the same models with fitted constants.

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline curves {

// The steps of the ring inside and between nodes.
struct Hops {
    double intra = 0, inter = 0;
};
Hops ring_hops(Collective collective, std::uint32_t ranks, std::uint32_t nodes);

// f * S / B in seconds, with the busbw factor f of nccl-tests, and B from the datasheet: NVLink (else PCIe) of one GPU,
// or all NICs of the node together.
double datasheet_wire_time(const CollectiveWorkload& workload, Bytes size, const Fabric& fabric);

// Alpha-beta: 7 us + hops * (0.6 us inside a node, 3 us between nodes) + the wire time, in seconds. Source of the
// constants: facts nccl-mechanisms.md §1 (a).
constexpr double alpha_beta(const Hops& hops, double wire) {
    return 7e-6 + hops.intra * 0.6e-6 + hops.inter * 3e-6 + wire;
}

// The time that NCCL's tuning model predicts, in seconds. `expected` is its prediction for the choice that was made.
// The model does not cover sends and receives; for these the result is a constant 12 us plus the wire time. Source:
// facts nccl-mechanisms.md §1 (b).
constexpr double tuning_clock(double expected, double wire) { return expected > 0 ? expected : 12e-6 + wire; }

}  // namespace fabricast::inline curves
