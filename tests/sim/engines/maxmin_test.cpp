#include "sim/engines/flow/maxmin.hpp"

#include <algorithm>
#include <cmath>

#include "tests/sim/engines/max_min_slow.hpp"
#include "tests/sim/engines/random_sharing.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using testing::max_min_slow;
using testing::Random;
using testing::random_sharing;
using testing::RandomSharing;

namespace {

std::vector<double> solve(const Sharing& sharing) {
    std::vector<double> rate(sharing.end.size());
    MaxMin().solve(sharing, rate);
    return rate;
}

std::vector<double> load_of_links(const Sharing& s, const std::vector<double>& rate) {
    std::vector<double> load(s.capacity.size(), 0);
    for (std::size_t c = 0; c < rate.size(); ++c) {
        for (std::size_t x = s.begin(c); x < s.end[c]; ++x) {
            load[s.link[x]] += s.members[c] * s.times_of(x) * rate[c];
        }
    }
    return load;
}

// The definition, as a test: true when the class runs at its cap or crosses a full link on which none is faster.
bool is_bounded(const Sharing& s, const std::vector<double>& rate, const std::vector<double>& load, std::size_t cls) {
    if (rate[cls] >= testing::cap_of(s, cls) * (1 - 1e-12)) { return true; }
    std::vector<double> fastest(s.capacity.size(), 0);
    for (std::size_t c = 0; c < rate.size(); ++c) {
        for (std::size_t x = s.begin(c); x < s.end[c]; ++x) {
            fastest[s.link[x]] = std::max(fastest[s.link[x]], rate[c]);
        }
    }
    for (std::size_t x = s.begin(cls); x < s.end[cls]; ++x) {
        const std::uint32_t l = s.link[x];
        if (load[l] >= s.capacity[l] * (1 - 1e-9) && rate[cls] >= fastest[l] * (1 - 1e-9)) { return true; }
    }
    return false;
}

}  // namespace

TEST_CASE("two classes share a link by members, and the one that is capped leaves the rest") {
    RandomSharing s;
    s.capacity = {12};
    s.link = {0, 0};
    s.times = {1, 1};
    s.end = {1, 2};
    s.members = {1, 2};
    s.cap = {100, 100};
    CHECK(solve(s.view()) == std::vector<double>{4, 4});
    s.cap[1] = 1;
    CHECK(solve(s.view()) == std::vector<double>{10, 1});
}

TEST_CASE("a class that crosses a link twice gets half of it") {
    RandomSharing s;
    s.capacity = {12, 7};
    s.link = {0, 1};
    s.times = {2, 1};
    s.end = {2};
    s.members = {1};
    CHECK(solve({s.capacity, s.end, s.link, s.times, s.members, {}}) == std::vector<double>{6});
}

TEST_CASE("the textbook line: a long flow and one short flow a link") {
    // Links of 1, 2, 3; one flow crosses all, one more on each: 1/2 each on the first, then 3/2 and 5/2.
    RandomSharing s;
    s.capacity = {1, 2, 3};
    s.link = {0, 1, 2, 0, 1, 2};
    s.end = {3, 4, 5, 6};
    s.members = {1, 1, 1, 1};
    CHECK(solve({s.capacity, s.end, s.link, {}, s.members, {}}) == std::vector<double>{0.5, 0.5, 1.5, 2.5});
}

TEST_CASE("a class that crosses nothing runs at its cap") {
    RandomSharing s;
    s.end = {0, 0};
    s.members = {1, 1};
    s.cap = {3, std::numeric_limits<double>::infinity()};
    CHECK(solve(s.view()) == s.cap);
}

TEST_CASE("on thousands of random problems no link is above capacity and every class is bounded") {
    Random random;
    for (int i = 0; i < 3000; ++i) {
        const RandomSharing problem = random_sharing(random);
        const Sharing s = problem.view();
        const std::vector<double> rate = solve(s);
        const std::vector<double> load = load_of_links(s, rate);
        for (std::size_t l = 0; l < load.size(); ++l) { REQUIRE(load[l] <= s.capacity[l] * (1 + 1e-12)); }
        for (std::size_t c = 0; c < rate.size(); ++c) {
            INFO("problem " << i << " class " << c);
            REQUIRE(rate[c] > 0);
            REQUIRE(is_bounded(s, rate, load, c));
        }
    }
}

TEST_CASE("on thousands of random problems the fast solver equals progressive filling") {
    Random random{2};
    for (int i = 0; i < 3000; ++i) {
        const RandomSharing problem = random_sharing(random);
        const std::vector<double> fast = solve(problem.view());
        const std::vector<double> slow = max_min_slow(problem.view());
        for (std::size_t c = 0; c < fast.size(); ++c) {
            INFO("problem " << i << " class " << c);
            REQUIRE(std::abs(fast[c] - slow[c]) <= 1e-12 * slow[c]);
        }
    }
}
