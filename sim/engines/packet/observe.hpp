#pragma once
// Turns the counts of ports and domains into what a Timeline keeps.

#include <memory>
#include <vector>

#include "sim/engines/packet/operations.hpp"
#include "sim/engines/packet/worker.hpp"

namespace fabricast::inline packet {

// Fills `busiest`, `busy`, `classes` and `packets`. Precondition: makespan is set; no packet in flight is waited for.
void observe(Shared& shared, const std::vector<std::unique_ptr<Worker>>& domains, const Operations& operations,
             const ReplayTask& task, Timeline& timeline);

// Bytes allocated for rings and queues, unused capacity included.
double bytes_held(const Network& network);

}  // namespace fabricast::inline packet
