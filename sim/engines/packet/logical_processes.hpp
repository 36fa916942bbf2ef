#pragma once
// Which nodes run together, and on which thread. An island is a node of the cluster with all its devices, or one switch
// of the fabric. Its inner links have a lower latency than those that lead out, so it can run on its own for as long as
// the outer latency, in steps of the inner latency: meanwhile all of it stays in the cache, and threads need to
// synchronise less often. A node that has something to do in a step, and whose own links are slower than the island's
// fastest, does in one turn what it would do in several steps.

#include <span>
#include <vector>

#include "sim/engines/packet/flows.hpp"

namespace fabricast::inline packet {

struct LogicalProcesses {
    std::vector<std::uint32_t> of;      // per node
    std::vector<std::uint32_t> nodes;   // island after island
    std::vector<std::uint32_t> end;     // per island, into `nodes`
    std::vector<Ps> step;               // per island: its smallest inner latency; never: it has no inner links
    std::vector<Ps> ahead;              // per node: how long it may be run from the start of a step on
    std::vector<std::uint32_t> domain;  // per island: its thread
    Ps window = never;                  // the smallest latency between islands

    std::uint32_t count() const { return static_cast<std::uint32_t>(end.size()); }
    std::span<const std::uint32_t> nodes_of(std::uint32_t island) const {
        const std::uint32_t begin = island == 0 ? 0 : end[island - 1];
        return std::span(nodes).subspan(begin, end[island] - begin);
    }
};

// Domains get about equal shares of the packets, and neighbouring islands if possible.
LogicalProcesses make_islands(const Traffic& traffic, const Packet& options, std::uint32_t domains);

}  // namespace fabricast::inline packet
