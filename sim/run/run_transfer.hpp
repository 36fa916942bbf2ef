#pragma once
// Transfers of messages between two devices, size by size.

#include "sim/run/job.hpp"

namespace fabricast {

// Throws as simulate does.
Report run(const TransferWorkload& workload, const Job& job);

}  // namespace fabricast
