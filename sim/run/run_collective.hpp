#pragma once
// Calls of a collective, size by size.

#include "sim/run/job.hpp"

namespace fabricast {

// Throws as simulate does.
Report run(const CollectiveWorkload& workload, const Job& job);

}  // namespace fabricast
