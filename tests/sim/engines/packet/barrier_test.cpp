#include "sim/engines/packet/barrier.hpp"

#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

namespace fabricast::packet {

TEST_CASE("No thread passes the barrier before all have come, and all pass, slept or not") {
    constexpr std::uint32_t threads = 4;
    constexpr int rounds = 3000;
    Barrier barrier(threads);
    std::array<int, threads> came{};
    std::array<int, threads> early{};
    const auto work = [&](std::uint32_t self) {
        for (int round = 1; round <= rounds; ++round) {
            if (round % 100 == static_cast<int>(self) * 25) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));  // the others outlast their spin
            }
            came[self] = round;
            barrier.wait();
            for (const int other : came) {
                early[self] += other < round ? 1 : 0;
            }
            barrier.wait();
        }
    };
    {
        std::vector<std::jthread> crew;
        for (std::uint32_t t = 0; t < threads; ++t) {
            crew.emplace_back(work, t);
        }
    }
    CHECK(came == std::array<int, threads>{rounds, rounds, rounds, rounds});
    CHECK(early == std::array<int, threads>{});
}

}  // namespace fabricast::packet
