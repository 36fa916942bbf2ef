#pragma once
// The answer for a replayed trace: how long, what each rank did meanwhile, what communication cost, and what bounds it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace fabricast {

// Calls of one collective on all groups of one name and size; messages between pairs count as `sendrecv`.
struct ReplayUse {
    std::string group;  // the communicator's name in the trace; empty: it has none
    std::uint32_t ranks = 0, groups = 0;
    std::string collective;
    std::uint64_t calls = 0;
    double bytes = 0;   // nccl-tests' size, summed over the calls
    double time_s = 0;  // summed over the calls, from the last rank's arrival on
};

// Of one rank; shares of the makespan. Computing and communicating overlap; the exposed part does not.
struct ReplayRank {
    std::uint32_t rank = 0;
    std::string device;    // "node0.gpu3"
    double compute_s = 0;  // some kernel runs
    double comm_s = 0;     // some call runs
    double waiting_s = 0;  // it waits for others to arrive at a call
    double exposed_s = 0;  // calls and waiting that no kernel hides
    double end_s = 0;      // of its last record
};

struct ReplayReport {
    std::string format;  // "kineto"
    std::uint32_t recorded = 0, ranks = 0, steps = 1;
    double makespan_s = 0;
    std::optional<double> recorded_s;  // as long as the recording itself took
    std::vector<ReplayUse> uses;
    std::vector<ReplayRank> members;  // of the watched ranks
    std::string bottleneck;           // "node0.nic0 -> leaf0 97 %", "kernels of rank 3: 81 %"
};

// For people: lines without `#` are figures.
std::string replay_table(const ReplayReport& replay);

Json replay_json(const ReplayReport& replay);
Json replay_json_schema();

}  // namespace fabricast
