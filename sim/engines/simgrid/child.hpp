#pragma once
// Runs work in a process of its own: a process can have only one SimGrid engine, and its clock does not restart.

#include <functional>
#include <string>

#include "sim/engines/common/watch.hpp"

namespace fabricast::inline simgrid_engine {

// Runs `work` in a forked child and returns the bytes that it returned. CannotEnd, TooLarge and OutOfRange are thrown
// again here; any other exception becomes std::runtime_error with its text, and so does a child killed by a signal.
// When the watch says stop, the child is killed and Stopped is thrown. No child outlives the call.
std::string in_child(const std::function<std::string()>& work, const Watch& watch);

}  // namespace fabricast::inline simgrid_engine
