#pragma once
// What the engine finds in libfabricast-simgrid.so by name.

#include <string>

#include "sim/engines/common/engine_traits.hpp"

// Runs in a child process: start, release and finish of each kept operation, then the makespan, as picoseconds.
extern "C" void fabricast_simgrid_replay(const fabricast::ReplayTask* task, std::string* answer);
