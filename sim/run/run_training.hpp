#pragma once
// Training steps on the scenario's cluster or on several sizes of it.

#include "sim/run/job.hpp"

namespace fabricast {

// Throws as simulate does.
Report run(const TrainingWorkload& workload, const Job& job);

}  // namespace fabricast
