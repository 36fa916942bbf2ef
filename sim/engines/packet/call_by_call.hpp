#pragma once
// A plan names equal calls that follow each other, as those of a stage's layers, as one pipeline (Pipeline::calls).
// Packets take the calls one by one, each with its own start, fill and end: they meet on links what they would meet
// there, and what one call does is known for those after it (reuse.hpp).

#include <optional>
#include <vector>

#include "sim/engines/common/timeline.hpp"

namespace fabricast::inline packet {

struct CallByCall {
    Schedule schedule;
    struct Kept {
        OpId planned{}, first{}, last{};  // of the plan, and of its calls in `schedule`
    };
    std::vector<Kept> kept;  // in the order of the plan's `kept`

    // The times of `schedule`'s operations as those of the plan's.
    void restore(Timeline& timeline) const;
};

// Nothing if no pipeline has several calls.
std::optional<CallByCall> call_by_call(const Schedule& plan);

}  // namespace fabricast::inline packet
