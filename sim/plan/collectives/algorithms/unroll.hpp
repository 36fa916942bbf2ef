#pragma once
// Lowers a program message by message: any engine can replay the result without knowing what a pipeline is.

#include <functional>
#include <span>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast::inline collectives {

// What the messages of a program become.
struct Unrolling {
    std::function<double(std::uint32_t piece)> bytes;                                      // of one piece
    std::function<Connection(std::uint32_t src, std::uint32_t dst)> connection;            // between two devices
    std::function<Duration(std::uint32_t src, std::uint32_t dst, double bytes)> overhead;  // before a message
};

// Adds a Transfer for each message. Each depends on the messages that brought its data (and, if in_order, on its
// sender's earlier steps); the first ones depend on `after`. Messages between the same two devices share a connection.
// Returns the transfers into or out of each device in the last step that it took part in.
std::vector<OpId> unroll(const Program& program, const Unrolling& as, Schedule& schedule,
                         std::span<const Schedule::Dependency> after);

}  // namespace fabricast::inline collectives
