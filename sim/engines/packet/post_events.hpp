#pragma once
// Links that change during a replay, as control messages to the nodes that must know.

#include <functional>

#include "sim/engines/packet/flows.hpp"
#include "sim/engines/packet/frame.hpp"

namespace fabricast::inline packet {

// Throws OutOfRange if too little of a link would be left.
void post_events(const ReplayTask& task, const Traffic& traffic,
                 const std::function<void(const ControlMessage&)>& post);

}  // namespace fabricast::inline packet
