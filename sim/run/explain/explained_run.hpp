#pragma once
// One scenario, run with every operation kept, and its time blamed: a collective at its largest size, a training step,
// a replayed trace, or one message of a transfer.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/run/explain/blame.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline explain {

struct ExplainedRun {
    std::string what;  // "all_reduce of 1 GiB: nvls-tree simple, 16 channels", "a training step of gpt3-175b"
    std::uint32_t nodes = 0, gpus = 0;
    double seconds = 0;         // the same time that `run` reports, or what engine `by` forecasts
    std::vector<Blame> blames;  // largest first; their seconds add up to `seconds`
    std::vector<std::string> notes;
    std::string by;  // the engine, where it is not the scenario's
};

// Throws InputError if a trace has too many operations to be explained, and what simulate throws. The flow engine
// explains scenarios of the packet and SimGrid engines, whose timelines do not show whole operations; a note says so.
ExplainedRun explain_run(const Scenario& scenario, const Catalog& catalog, const Watch& watch = {});

// The part of the workload that an operation belongs to, such as "tensor-parallel".
using PartOf = std::function<std::string_view(OpId)>;

// Blames the time from `from` to the finish of `last` along the critical path: from the end backwards, at each
// operation to what it waited for last. Its stretches are contiguous, so the seconds add up to that time. Precondition:
// the timeline keeps every operation of the schedule, and comes from the flow or the analytic engine with these events.
BlameSheet critical_path(const Fabric& fabric, const Schedule& schedule, const Timeline& timeline, OpId last, Time from,
                         const PartOf& part_of, std::span<const LinkEvent> events = {});

}  // namespace fabricast::inline explain
