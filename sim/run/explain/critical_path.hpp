#pragma once
// The critical path of a replayed schedule: from an end backwards, at each operation to what it waited for last. The
// stretches are contiguous, so the seconds blamed add up to the time between the ends.

#include <functional>
#include <string_view>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/run/explain/blame.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline explain {

// The part of the workload that an operation belongs to, such as "tensor-parallel".
using PartOf = std::function<std::string_view(OpId)>;

// Blames the time from `from` to the finish of `last`. Precondition: the timeline keeps every operation of the
// schedule, and comes from the flow or the analytic engine.
BlameSheet critical_path(const Fabric& fabric, const Schedule& schedule, const Timeline& timeline, OpId last, Time from,
                         const PartOf& part_of);

}  // namespace fabricast::inline explain
