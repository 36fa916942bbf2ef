#pragma once
// A recorded trace, replayed.

#include "sim/run/job.hpp"

namespace fabricast {

// Throws as simulate does.
Report run(const TraceWorkload& workload, const Job& job);

}  // namespace fabricast
