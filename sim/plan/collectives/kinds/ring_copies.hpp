#pragma once
// What the channels of a Simple ring copy within their GPU's memory: what they send in the first step and receive in
// the last (docs/collectives.md).

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast::inline collectives {

// Adds it to a ring of so many steps and rounds of chunks: while a channel copies, nothing of its own is on the link,
// so a byte takes longer on the wire by what the rings would have carried meanwhile, and longer where a channel's rate
// ends it. With one GPU a node the channels have no links to wait for.
void add_copies(const Call& call, int channels, double steps, double rounds, Pipeline& pipeline);

}  // namespace fabricast::inline collectives
