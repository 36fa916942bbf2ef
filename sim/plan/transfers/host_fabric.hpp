#pragma once
// The fabric of a transfer between host memories.

#include "sim/plan/transfers/transports.hpp"

namespace fabricast {

// The fabric as transports see it. Collectives charge an adapter's whole latency, with GPU memory behind it and on top
// of the PCIe path to it, and their fitted constants rest on that; here an adapter's figures are those of a plain
// server (adapter on a root port, host memory), so what they hold of that path is not counted twice. Conditions that
// change links and devices (MTU) are laid over it. Throws ClusterError.
Fabric transfer_fabric(const Fabric& built, const TransferWorkload& workload, const Catalog& catalog);

}  // namespace fabricast
