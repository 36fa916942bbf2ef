#pragma once
// The flow engine's core: fluid, event-driven, on a Network instead of a Fabric, so that a test can write one by hand.

#include <vector>

#include "sim/engines/devices.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/flow/network.hpp"

namespace fabricast {

// Nothing moves any more and operations are left.
struct Stuck {
    OpId op{};                            // the first that has not ended
    std::uint32_t row = Network::no_row;  // a row without capacity that it crosses; no_row: it waits for another
};

// `events` are those of the network's row_of_event, in the same order. Throws Stopped and Stuck.
Timeline replay_flow(const Network& network, const Schedule& schedule, const DeviceLimits& device, const Flow& options,
                     const std::vector<LinkEvent>& events, const Watch& watch);

}  // namespace fabricast
