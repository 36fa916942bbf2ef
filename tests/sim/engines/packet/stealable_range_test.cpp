#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "sim/engines/packet/threads.hpp"
#include "tests/support/catch.hpp"

namespace fabricast::inline packet {

TEST_CASE("Owner and helpers take every island of a window once", "[threads]") {
    constexpr std::uint32_t islands = 1000;
    constexpr std::uint32_t threads = 3;
    for (int window = 0; window < 50; ++window) {
        StealableRange open;
        CHECK(open.take_last().count() == 0);  // not yet published
        std::array<std::vector<std::uint32_t>, threads> took;
        open.publish(islands);
        const auto work = [&](std::uint32_t self) {
            for (;;) {
                const Claim claim = self == 0 ? open.take_first() : open.take_last();
                if (claim.count() == 0) { return; }
                for (std::uint32_t i = claim.from; i < claim.to; ++i) { took[self].push_back(i); }
            }
        };
        {
            std::vector<std::jthread> crew;
            for (std::uint32_t t = 0; t < threads; ++t) { crew.emplace_back(work, t); }
        }
        std::vector<std::uint32_t> all;
        for (const std::vector<std::uint32_t>& some : took) { all.insert(all.end(), some.begin(), some.end()); }
        CHECK(std::ranges::is_sorted(took[0]));
        std::ranges::sort(all);
        REQUIRE(all.size() == islands);
        CHECK(std::ranges::adjacent_find(all) == all.end());
        CHECK(all.back() == islands - 1);
    }
}

TEST_CASE("a claim is a sixteenth of what is left, rounded up, from either end") {
    StealableRange open;
    open.publish(100);
    bool owner = true;
    for (std::uint32_t left = 100; left > 0; owner = !owner) {
        const Claim claim = owner ? open.take_first() : open.take_last();
        REQUIRE(claim.count() == (left + 15) / 16);
        left -= claim.count();
    }
}

}  // namespace fabricast::inline packet
