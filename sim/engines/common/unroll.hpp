#pragma once
// Pipelines chunk by chunk: the same schedule in messages and delays only, for engines that know nothing else and for
// tests of the pipeline's closed form.

#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast {

struct Unrolled {
    // The operations that stand for one of the original schedule; equal where it was copied as it is.
    struct Ends {
        OpId start{}, release{}, finish{};
    };
    Schedule schedule;
    std::vector<Ends> ends;  // per original operation
};

// Each edge becomes a connection (one for each channel, where `weight` is whole) that sends its chunks in slices:
// - in a cyclic pipeline the first sum(stage counts) chunks each wait for the one before on the edge that leads to
// their
//   sender; those of later loops find the ring full and stream;
// - in a chain or tree it waits for the same chunk on the edges that lead to its sender;
// - where edges run both ways (a tree going up and down) edges stream on their own, and the rest of the drain is added
// behind: a message has crossed one hop.
// A chunk waits for the one `slots` before it and the largest latency.
Unrolled unroll(const Fabric& fabric, const Schedule& schedule);

}  // namespace fabricast
