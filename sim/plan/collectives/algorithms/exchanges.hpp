#pragma once
// Programs in which all ranks exchange data with all others, with one root, or through one relay.

#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast {

// There are ranks^2 pieces; src sends piece src * ranks + dst to dst. Pairwise: in step i every rank sends to the rank
// i ahead. Direct: all messages are sent at once.
Program pairwise_all_to_all(std::uint32_t ranks);
Program direct_all_to_all(std::uint32_t ranks);

Program direct_gather(std::uint32_t ranks, std::uint32_t root);
Program direct_scatter(std::uint32_t ranks, std::uint32_t root);

// The one relay is the NVSwitch: it adds what all ranks send, gives piece p to head p, and multicasts what the head
// returns.
Program nvls_all_reduce(std::uint32_t ranks);
// The relay is the network (SHARP): each local rank collects its share of the node's data and sends it up once.
Program collnet_all_reduce(std::uint32_t nodes, std::uint32_t per_node);

}  // namespace fabricast
