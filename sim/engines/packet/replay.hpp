#pragma once
// Replays messages and pipelines packet by packet.

#include "sim/engines/packet/options.hpp"

namespace fabricast::inline packet {

// The result depends only on the arguments, and not on options.threads. Throws Stopped, Unreachable, and CannotEnd with
// the cycle of ports whose buffers wait for each other.
Timeline replay_task(const Packet& options, const ReplayTask& task);

}  // namespace fabricast::inline packet
