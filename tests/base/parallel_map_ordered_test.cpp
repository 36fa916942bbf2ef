#include "base/parallel_map_ordered.hpp"

#include <chrono>
#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace fabricast;

TEST_CASE("results come in order whatever the number of threads") {
    for (const std::size_t threads : {1U, 2U, 7U, 100U}) {
        std::vector<std::size_t> taken;
        parallel_map_ordered(
            50, threads,
            [](std::size_t i) {
                std::this_thread::sleep_for(std::chrono::microseconds((50 - i) * 20));  // the last are done first
                return i * i;
            },
            [&](std::size_t square) { taken.push_back(square); });
        REQUIRE(taken.size() == 50);
        for (std::size_t i = 0; i < taken.size(); ++i) { CHECK(taken[i] == i * i); }
    }
}

TEST_CASE("the first error in order is the one reported, after the results before it") {
    for (const std::size_t threads : {1U, 4U}) {
        std::vector<std::size_t> taken;
        const auto make = [](std::size_t i) {
            if (i == 3 || i == 5) {
                std::this_thread::sleep_for(std::chrono::milliseconds(i == 3 ? 5 : 0));
                throw std::runtime_error(std::to_string(i));
            }
            return i;
        };
        CHECK_THROWS_WITH(parallel_map_ordered(20, threads, make, [&](std::size_t i) { taken.push_back(i); }), "3");
        CHECK(taken == std::vector<std::size_t>{0, 1, 2});
    }
}

TEST_CASE("nothing to do is done at once") {
    parallel_map_ordered(
        0, 4, [](std::size_t i) { return i; }, [](std::size_t) { FAIL("called"); });
}
