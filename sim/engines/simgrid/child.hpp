#pragma once
// Work in a process of its own: SimGrid's engine is one per process and its clock does not restart.

#include <functional>
#include <string>

#include "sim/engines/common/watch.hpp"

namespace fabricast::simgrid_engine {

// Runs `work` in a forked child and returns the bytes it returned. CannotEnd there is thrown here, any other
// exception as std::runtime_error with its text, a child that died by a signal too. When the watch says stop the child
// is killed and Stopped thrown. No child outlives the call.
std::string in_child(const std::function<std::string()>& work, const Watch& watch);

}  // namespace fabricast::simgrid_engine
