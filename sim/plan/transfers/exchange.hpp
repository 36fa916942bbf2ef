#pragma once
// What a replayed transfer shows: how long one message takes, and the bandwidth of a window of messages; and the chosen
// data path, described to the user hop by hop.

#include <string>

#include "sim/engines/common/timeline.hpp"
#include "sim/plan/transfers/exchange_plan.hpp"

namespace fabricast::inline transfers {

struct Exchange : ExchangeFacts {
    double one_s = 0;  // one message, from the call to the receiver's last instruction
    double one_low80 = 0, one_high80 = 0;
    double each_s = 0;                            // seconds per message of the window, in the steady state
    double bandwidth = 0;                         // payload bytes per second; the sum of both directions for both_ways
    double aggregate_bandwidth = 0;               // of this pair and all pairs in `concurrent`
    double sender_cores = 0, receiver_cores = 0;  // cores that are busy during the window
    std::string bottleneck{};
};

// `one` and `many` are the timelines of the plan's two schedules; `one_schedule` is the first of these.
Exchange measured(const ExchangeFacts& facts, const Schedule& one_schedule, const Timeline& one, const Timeline& many,
                  const Fabric& fabric);

std::string describe(const Exchange& exchange, const TransferWorkload& workload, const Fabric& fabric);

}  // namespace fabricast::inline transfers
