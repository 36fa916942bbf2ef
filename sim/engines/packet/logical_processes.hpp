#pragma once
// Nodes that run together, and the thread they run on. An island is a node of the cluster with all its devices, or one
// switch of the fabric. Its inner links are shorter than those that lead out, so it can run on its own for as long as
// the outer latency, in steps of the inner one: the whole of it stays in the cache meanwhile, and threads meet less
// often.

#include <vector>

#include "sim/engines/packet/flows.hpp"

namespace fabricast::packet {

struct LogicalProcesses {
    std::vector<std::uint32_t> of;      // per node
    std::vector<std::uint32_t> nodes;   // of one island after the other
    std::vector<std::uint32_t> end;     // per island, into `nodes`
    std::vector<Ps> step;               // per island: its smallest inner latency; never: it has no inner links
    std::vector<std::uint32_t> domain;  // per island: its thread
    Ps window = never;                  // the smallest latency between islands

    std::uint32_t count() const { return static_cast<std::uint32_t>(end.size()); }
    std::uint32_t begin_of(std::uint32_t island) const { return island == 0 ? 0 : end[island - 1]; }
};

// Domains get equal shares of the packets, and neighbours where they may.
LogicalProcesses make_islands(const Traffic& traffic, std::uint32_t domains);

}  // namespace fabricast::packet
