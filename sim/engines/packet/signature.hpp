#pragma once
// Two hashes of one sequence: that two of the few that a replay compares have both in common by chance is out of the
// question.

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/hash.hpp"

namespace fabricast::inline packet {

using PartKey = std::pair<std::uint64_t, std::uint64_t>;

class Signature {
public:
    void add(std::uint64_t value) {
        low_ = mix(low_ ^ value);
        high_ = mix(high_ + 0x632be59bd9b4e019U * (value + 1));
    }
    void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
    void add(std::int64_t value) { add(static_cast<std::uint64_t>(value)); }
    template <class... Values> void add_all(Values... values) {
        (add(std::is_floating_point_v<Values> ? std::bit_cast<std::uint64_t>(static_cast<double>(values))
                                              : static_cast<std::uint64_t>(values)),
         ...);
    }
    PartKey key() const { return {low_, high_}; }

private:
    std::uint64_t low_ = 1, high_ = 2;
};

}  // namespace fabricast::inline packet
