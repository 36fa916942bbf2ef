#pragma once
// The plan of a workload of any kind: what an engine replays, and what the report needs to know in addition.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/plan.hpp"
#include "sim/plan/traces/communicators.hpp"
#include "sim/plan/traces/recording.hpp"
#include "sim/plan/traces/replayed.hpp"
#include "sim/plan/training/step_plan.hpp"
#include "sim/plan/training/training_workload.hpp"
#include "sim/plan/transfers/exchange_plan.hpp"

namespace fabricast::inline plans {

struct CollectiveFacts : CallFacts {
    Bytes size;
};

// Each operation's tag is in `ops`.
struct TrainingFacts : StepFacts {
    TrainingWorkload workload;
};

// `replayed` says which kept operations belong to which record.
struct TraceFacts {
    Recording recording;
    RecordedJob job;
    ReplayedRecords replayed;
};

struct TransferFacts : ExchangeFacts {
    bool largest = false;  // the last size of its workload
};

// The time that is reported is told by the schedule's timeline.
struct Plan : AnyPlan {
    std::string what{};                // "all_reduce of 1 GiB: ring simple, 16 channels"
    std::optional<Schedule> window{};  // a transfer's messages, which tell bandwidth and traffic; none: `schedule` does
    std::optional<Timing> timing{};    // none: the whole schedule is timed
    double planning_share = 0;         // share of a run's progress that planning took
    std::vector<std::string> evidence_notes{};
    std::variant<CollectiveFacts, TrainingFacts, TraceFacts, TransferFacts> facts{};
};

}  // namespace fabricast::inline plans
