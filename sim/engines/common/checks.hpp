#pragma once
// What must be true of a replay of any engine. What is not is our fault, never the user's: std::logic_error.

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"

namespace fabricast::inline engine_common {

// Whether replays check themselves at length: the environment says FABRICAST_CHECK=1, as that of tests and fuzzing
// does. These checks read the whole schedule, and the packet engine looks at its buffers again and again.
bool checking();

// No link carried more than its capacity allows within the makespan. In every replay.
void check_capacity(const Timeline& timeline, const Fabric& fabric);

// --- the following only if checking()

// Acyclicity: every operation waits for earlier ones only.
void check_schedule(const Schedule& schedule);

// Causality: an operation starts after those that it waits for, is released after it started, and ends within the
// makespan. Of the operations that the timeline keeps.
void check_times(const Schedule& schedule, const Timeline& timeline);

// Conservation: each class of links carried what the operations sent over their paths, once. For engines that count
// every link, and replays in which no path changes.
void check_bytes(const Schedule& schedule, const Timeline& timeline, const Fabric& fabric);

// Whether a replay was so short that it may be done twice.
bool short_enough_to_repeat(const Schedule& schedule, const Timeline& timeline);

// Determinism: the same replay again has the same times, to the picosecond, and the same counts.
void check_repeated(const Timeline& timeline, const Timeline& again);

}  // namespace fabricast::inline engine_common
