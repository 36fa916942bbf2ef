#pragma once
// The plan of one call of a collective.

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "models/evidence.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/collective.hpp"

namespace fabricast::inline collectives {

// Back-to-back iterations in a schedule; the last two are in the steady state.
inline constexpr int planned_iterations = 3;

// Which kept operations tell a call's time. The schedule first keeps an operation per iteration, whose finish ends it.
struct Timing {
    int iterations = 1;   // in the schedule; the time of one is finish(last) - finish(last but one)
    int timed_calls = 0;  // above 0: calls overlap, so their average counts; one more kept operation ends the last call
    RankTime average = RankTime::mean;  // of those calls
    // Calls that share the latencies of their way. Above 1: one more kept operation ends with the last call's release,
    // after which its data are only under way.
    int under_way = 1;
};

// How a call was chosen, and what is known of its time.
struct CallFacts {
    Algorithm algorithm = Algorithm::ring;
    Protocol protocol = Protocol::simple;
    int channels = 0;
    double tuning_seconds = 0;      // the time that NCCL's own tuning model expects; 0: it has no model of this call
    double bytes_moved_factor = 1;  // nccl-tests' busbw / algbw
    Evidence evidence = Evidence::formula_only;
    double relative_low80 = 0, relative_high80 = 0;  // interval of the time from the constants used, e.g. -0.05, +0.06
};

// What plans of every kind have.
struct AnyPlan {
    Schedule schedule;
    std::vector<FigureUsed> figures;
    std::vector<std::string> notes;
};

// The plan of one call of a collective: a few back-to-back iterations of it. Steps and traces are composed of calls.
struct CallPlan : AnyPlan, Timing, CallFacts {
    std::vector<std::string> evidence_notes;  // "kernel costs from ..., nearest data 8 GPUs a node"
};

// The workload cannot be planned here (NVLS without NVSwitch gen 3 ...). `key`: the scenario's, which this concerns.
struct PlanError : ErrorWith<ExitCode::bad_input> {
    explicit PlanError(const std::string& what, std::string at = "workload") : ErrorWith(what), key(std::move(at)) {}
    std::string key;
};

}  // namespace fabricast::inline collectives
