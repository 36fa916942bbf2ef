#pragma once
// A small generator of our own: the same random cases on every machine.

#include <cstddef>
#include <cstdint>

namespace fabricast::testing {

// Marsaglia's xorshift64.
struct Xorshift {
    std::uint64_t state;  // not 0
    std::size_t below(std::size_t n) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        return static_cast<std::size_t>(state % n);
    }
};

}  // namespace fabricast::testing
