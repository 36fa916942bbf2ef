#pragma once
// The fabric of a transfer between host memories.

#include "sim/plan/transfers/transports.hpp"

namespace fabricast {

// The fabric as transports see it. Collectives count an adapter's whole latency, with GPU memory, in addition to the
// PCIe path to it, and their fitted constants rely on that. Here an adapter's figures are those of a plain server
// (adapter on a root port, host memory); the part of them that is this server's PCIe path is subtracted, so that it is
// not counted twice. Conditions that change links (MTU) are applied. Throws ClusterError.
Fabric transfer_fabric(const Fabric& built, const TransferWorkload& workload, const Catalog& catalog);

}  // namespace fabricast
