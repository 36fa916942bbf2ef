#pragma once
// The critical path of a replayed schedule: from an end back along what each operation waited for last. Its stretches
// touch each other, so what they are blamed on adds up to the time between the ends.

#include <functional>
#include <string_view>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/run/explain/blame.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// The part of the workload that an operation belongs to: "tensor-parallel".
using PartOf = std::function<std::string_view(OpId)>;

// What the time from `from` to the finish of `last` went into. Precondition: the timeline keeps every operation of the
// schedule, and is the flow or the analytic engine's.
BlameSheet critical_path(const Fabric& fabric, const Schedule& schedule, const Timeline& timeline, OpId last, Time from,
                         const PartOf& part_of);

}  // namespace fabricast
