#pragma once
// Programs of exchanges between all, and through one relay.

#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast {

// Pieces = ranks^2, piece src * ranks + dst. Pairwise: in step i to the rank i ahead; direct: all at once.
Program pairwise_all_to_all(std::uint32_t ranks);
Program direct_all_to_all(std::uint32_t ranks);

Program direct_gather(std::uint32_t ranks, std::uint32_t root);
Program direct_scatter(std::uint32_t ranks, std::uint32_t root);

// One relay, the NVSwitch: it adds what all ranks send, gives piece p to its head p, and multicasts what the head
// returns.
Program nvls_all_reduce(std::uint32_t ranks);
// The relay is the network (SHARP): each local rank gathers its share of the node and sends it up once.
Program collnet_all_reduce(std::uint32_t nodes, std::uint32_t per_node);

}  // namespace fabricast
