#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "sim/engines/packet/threads.hpp"
#include "tests/support/catch.hpp"

namespace fabricast::inline packet {

TEST_CASE("The first thread plans when all others have come, and all go on, slept or not", "[threads]") {
    constexpr std::uint32_t threads = 4;
    constexpr int rounds = 6000;
    Barrier barrier(threads);
    std::array<int, threads> came{};
    int planned = 0, early = 0;
    std::array<int, threads> late{};
    const auto plan = [&] {
        ++planned;
        for (const int round : came) { early += round == planned ? 0 : 1; }
    };
    const auto work = [&](std::uint32_t self) {
        for (int round = 1; round <= rounds; ++round) {
            if (round % 100 == static_cast<int>(self) * 25) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));  // the others outlast their spin
            }
            came[self] = round;
            if (self == 0) {
                barrier.lead(plan);
            } else {
                barrier.follow();
            }
            late[self] += planned == round ? 0 : 1;
        }
    };
    {
        std::vector<std::jthread> crew;
        for (std::uint32_t t = 0; t < threads; ++t) { crew.emplace_back(work, t); }
    }
    CHECK(planned == rounds);
    CHECK(early == 0);
    CHECK(late == std::array<int, threads>{});
}

}  // namespace fabricast::inline packet
