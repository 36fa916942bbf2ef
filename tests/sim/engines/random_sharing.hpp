#pragma once
// Random sharing problems, the same on every machine: std distributions differ between libraries.

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/engines/flow/maxmin.hpp"

namespace fabricast::testing {

// splitmix64 (Steele, Lea, Flood 2014).
struct Random {
    std::uint64_t state = 1;

    std::uint64_t next() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

struct RandomSharing {
    std::vector<double> capacity, times, members, cap;
    std::vector<std::uint32_t> end, link;

    flow::Sharing view() const { return {capacity, end, link, times, members, cap}; }
};

// 1-20 links of equal, small-integer or random capacity; 1-40 classes over up to 6 of them, crossed up to 3 times.
inline RandomSharing random_sharing(Random& random) {
    RandomSharing s;
    const std::uint32_t links = 1 + random.below(20);
    const std::uint32_t classes = 1 + random.below(40);
    const std::uint32_t kind = random.below(3);
    for (std::uint32_t l = 0; l < links; ++l) {
        s.capacity.push_back(kind == 0 ? 8 : kind == 1 ? 1 + random.below(4) : 0.1 + random.unit());
    }
    for (std::uint32_t c = 0; c < classes; ++c) {
        std::vector<bool> used(links, false);
        for (std::uint32_t hops = 1 + random.below(6); hops > 0; --hops) {
            const std::uint32_t l = random.below(links);
            if (!used[l]) {
                used[l] = true;
                s.link.push_back(l);
                s.times.push_back(random.below(8) < 6 ? 1 : 2);
            }
        }
        s.end.push_back(static_cast<std::uint32_t>(s.link.size()));
        s.members.push_back(1 + random.below(3));
        s.cap.push_back(random.below(3) == 0 ? 0.01 + random.unit() : std::numeric_limits<double>::infinity());
    }
    return s;
}

}  // namespace fabricast::testing
