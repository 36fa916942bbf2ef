#pragma once
// Why a replay cannot go on.

#include <cstdint>

#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/schedule.hpp"

namespace fabricast {

// Nothing moves any more, but operations are left.
struct Stuck {
    OpId op{};                            // one that has not ended
    std::uint32_t row = Network::no_row;  // a row without capacity that it crosses; no_row: none is known
};

}  // namespace fabricast
