#pragma once
// Writes pipelines out chunk by chunk: the same schedule with messages and delays instead of pipelines, for engines
// without pipelines and for tests of the pipeline's closed form.

#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline engine_common {

struct Unrolled {
    // The operations that replace one of the original schedule; all the same one if it was copied unchanged.
    struct Ends {
        OpId start{}, release{}, finish{};
    };
    Schedule schedule;
    std::vector<Ends> ends;  // per original operation
};

// Each edge becomes a connection (one for each channel, if `weight` is whole) that sends its chunks in slices:
// - In a cyclic pipeline, each chunk of an edge but the first waits for the chunk before it on the edge that leads to
//   its sender.
// - In a chain or tree, a chunk waits for the same chunk on the edges that lead to its sender.
// - If edges run both ways (a tree going up and down), each streams on its own, and the rest of the drain is added at
//   the end, less the one hop that a message has crossed.
// A chunk also waits until the chunk that is `slots` before it on its edge has arrived, plus the credit.
Unrolled unroll(const Fabric& fabric, const Schedule& schedule);

}  // namespace fabricast::inline engine_common
