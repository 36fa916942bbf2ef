#pragma once
// A program message by message: the lowering that any engine replays without knowing what a pipeline is.

#include <functional>
#include <span>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast {

// What the messages of a program become.
struct Unrolling {
    std::function<double(std::uint32_t piece)> bytes;                                      // of one piece
    std::function<Connection(std::uint32_t src, std::uint32_t dst)> connection;            // of a pair of devices
    std::function<Duration(std::uint32_t src, std::uint32_t dst, double bytes)> overhead;  // in front of a message
};

// Adds a Transfer for each message that carries bytes, each behind the messages that brought its data (and, in order,
// behind its sender's earlier steps); the first ones behind `after`. Messages of one pair share a connection. Returns
// the last transfer into or out of each device that has one.
std::vector<OpId> unroll(const Program& program, const Unrolling& as, Schedule& schedule,
                         std::span<const Schedule::Dependency> after);

}  // namespace fabricast
