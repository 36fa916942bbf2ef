#include "sim/plan/collectives/plan_call.hpp"

#include <algorithm>
#include <array>

#include "sim/plan/collectives/plan_p2p.hpp"
#include "sim/plan/collectives/plan_steps.hpp"

namespace fabricast::inline collectives {

bool is_p2p(Collective collective) {
    constexpr std::array p2p{Collective::all_to_all, Collective::all_to_all_v, Collective::sendrecv, Collective::gather,
                             Collective::scatter};
    return std::ranges::find(p2p, collective) != p2p.end();
}

bool is_stepped(Algorithm algorithm) {
    constexpr std::array stepped{Algorithm::recursive_doubling, Algorithm::pairwise, Algorithm::hierarchical};
    return std::ranges::find(stepped, algorithm) != stepped.end();
}

LoweredCall plan_call(const Call& call, Schedule& schedule) {
    return is_stepped(call.workload.algorithm) ? plan_steps(call, schedule)
           : is_p2p(call.workload.collective)  ? plan_p2p(call, schedule)
                                               : call.algorithm->plan(call, schedule);
}

}  // namespace fabricast::inline collectives
