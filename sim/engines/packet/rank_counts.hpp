#pragma once
// What the ranks of a replay copy to each other when they no longer go on: queues, to say why nothing moves, and all
// that is counted, so that every rank has the same result. All ranks call the same functions in the same order.

#include "sim/engines/packet/peers.hpp"
#include "sim/engines/packet/shared.hpp"
#include "sim/engines/packet/worker.hpp"

namespace fabricast::inline packet {

// Copies the queues of all ports, and what they lost, to all ranks: for looking at, not for going on.
void copy_queues(Peers& peers, Shared& shared);

// The same of everything that is counted; the replay has ended. `own` has run the islands of this rank.
void copy_counts(Peers& peers, Shared& shared, Worker& own);

}  // namespace fabricast::inline packet
