#pragma once
// Fabric + Plan -> Timelines: the replay of whatever the plan has, by any engine, and what its timelines tell.

#include <optional>
#include <vector>

#include "sim/engines/engine.hpp"
#include "sim/plan/planner.hpp"
#include "sim/plan/transfers/exchange.hpp"

namespace fabricast::inline plans {

struct Timelines {
    Timeline timeline;               // of Plan::schedule
    std::optional<Timeline> window;  // of Plan::window

    // Of what the links carry in the steady state.
    const Timeline& traffic() const { return window ? *window : timeline; }
};

Timelines replay(const Engine& engine, const Fabric& fabric, const Plan& plan,
                 const std::vector<LinkEvent>& events = {}, const Watch& watch = {});

// Seconds of one iteration in the steady state: from the end of the last but one to the end of the last. Of calls that
// share their way, each has its part of it. If there are timed calls, which overlap: their average, as nccl-tests
// measures it.
double iteration_time(const Timing& timing, const Timeline& timeline);

// The part of the timeline that is timed: it ends where `last` does.
struct TimedPart {
    OpId last{};
    Time from;
    double seconds = 0;  // with overlapping calls, an average of calls and not the length of the part
};

// Precondition: the plan has operations.
TimedPart timed_part(const Plan& plan, const Timeline& timeline);

// Precondition: the plan is of a transfer.
Exchange exchange_of(const Plan& plan, const Timelines& timelines, const Fabric& fabric);

// A transfer planned, replayed and measured, for those who ask for more than a report's row says. `context.fabric` is
// the result of fabric_for. Throws as the planner and the engine do.
Exchange exchange_at(Bytes size, const Workload& workload, const PlanContext& context, const Engine& engine);

}  // namespace fabricast::inline plans
