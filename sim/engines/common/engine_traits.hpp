#pragma once
// An engine is a struct of options with its `traits`, which are what the rest of the program must know about it, and a
// function
//     Timeline replay_task(const Options&, const ReplayTask&);

#include <string_view>
#include <vector>

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/link_event.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/engines/common/watch.hpp"

namespace fabricast::inline engine_common {

// What a replay would hold in memory, with all that the engine builds from the schedule but without the schedule.
struct MemoryNeed {
    double count = 0;
    std::string_view what;  // what is counted
    double bytes_each = 0;
    bool by_nodes = false;  // grows with the nodes of the cluster only

    double bytes() const { return count * bytes_each; }
};

struct EngineTraits {
    std::string_view name;   // as scenarios write it
    std::string_view about;  // in a few words
    MemoryNeed (*memory)(const Fabric&, const Schedule&);
    std::string_view keys = {};     // the scenario's map of its options; empty: it has none
    bool events = false;            // honours what happens to links and devices during the replay
    bool whole_operations = false;  // runs each operation as it is in the schedule, so that `explain` can follow it
    bool lower_bound = false;       // its answer may use more than a link has
    bool one_thread = false;        // replays only in a process without other threads
    std::string_view (*missing)() = [] { return std::string_view(); };  // why this build lacks it; empty: it does not
};

// Of the engines that work on rows and classes (fluid_network.hpp).
MemoryNeed memory_of_links(const Fabric& fabric, const Schedule& schedule);

// What every engine is given to replay.
struct ReplayTask {
    const Fabric& fabric;
    const Schedule& schedule;
    DeviceLimits device;            // with the pace of slow devices over time
    std::vector<LinkEvent> events;  // of links only
    const Watch& watch;
};

}  // namespace fabricast::inline engine_common
