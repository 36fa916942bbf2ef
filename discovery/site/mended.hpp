#pragma once
// The fabric as it would be without missing cables, which is what a scenario can say of it: its nodes are all alike.

#include <cstddef>

#include "discovery/site/wiring.hpp"

namespace fabricast::inline site {

// A NIC without a cable gets the one that its peers have; nodes for which no peer knows it are left out, the last ones
// in their order.
struct Mended {
    Wiring wiring;
    std::size_t cables = 0;  // that were added
    std::size_t left_out = 0;
};
Mended mended(const Wiring& wiring);

}  // namespace fabricast::inline site
