#pragma once
// The result of a replayed trace: how long it takes, what each rank does meanwhile, what communication costs, and the
// bottleneck.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

// The calls of one collective on all groups that have the same name and size; messages between pairs count as
// `sendrecv`.
struct ReplayUse {
    std::string group;  // the communicator's name in the trace; empty: it has none
    std::uint32_t ranks = 0, groups = 0;
    std::string collective;
    std::uint64_t calls = 0;
    double bytes = 0;   // nccl-tests' size, summed over the calls
    double time_s = 0;  // summed over the calls, each from the arrival of its last rank
};

// The time of one rank, in seconds. Computing and communicating may overlap; the exposed part does not.
struct ReplayRank {
    std::uint32_t rank = 0;
    std::string device;    // "node0.gpu3"
    double compute_s = 0;  // while at least one kernel runs
    double comm_s = 0;     // while at least one call runs
    double waiting_s = 0;  // while it only waits for other ranks to arrive at a call
    double exposed_s = 0;  // calls and waiting while no kernel runs
    double end_s = 0;      // end of its last record
};

struct ReplayReport {
    std::string format;  // "kineto"
    std::uint32_t recorded = 0, ranks = 0, steps = 1;
    double makespan_s = 0;
    std::optional<double> recorded_s;  // how long the recording itself took; none: not known
    std::vector<ReplayUse> uses;
    std::vector<ReplayRank> members;  // one for each watched rank
    std::string bottleneck;           // "node0.nic0 -> leaf0 97 %", "kernels of rank 3: 81 %"
};

}  // namespace fabricast
