// Held against other simulators: ns-3 to the picosecond, UEC's htsim as far as the models are the same.

#include "tests/sim/engines/packet/held_against.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

// Each row's difference is within these, in per cent.
void check(const std::vector<testing::HeldAgainst>& rows, const std::vector<std::pair<double, double>>& within) {
    REQUIRE(rows.size() == within.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        INFO(rows[i].what << ": " << rows[i].ours_us << " us, in the other " << rows[i].other_us);
        CHECK(rows[i].percent() > within[i].first);
        CHECK(rows[i].percent() < within[i].second);
    }
}

}  // namespace

TEST_CASE("incast, permutation, all-to-all and ring take as long as in ns-3, to the picosecond") {
    for (const testing::HeldAgainst& row : testing::ns3::all()) {
        INFO(row.what << ": " << row.ours_us << " us");
        CHECK(std::llround(row.ours_us * 1e6) == std::llround(row.other_us * 1e6));
    }
}

TEST_CASE("UEC's incasts and permutations take what its working group's simulator says, but for named differences") {
    // In turn, packets use equal paths more evenly than drawn ones do; other hashes collide elsewhere.
    check(testing::uet::small(), {{-0.1, 0.1}, {-1.5, 0}, {-10, 0}, {-25, 25}});
    // A flow takes 32 of this tree's 64 paths at most, so that some links get more than their share of a permutation.
    check(testing::uet::large(), {{-2, 2}, {20, 50}, {-25, 25}, {-8, 8}, {-8, 8}});
    // Where 32 are all of them, it takes what theirs takes between 16 hosts and 1,024.
    const Fabric tree = testing::uet::fat_tree(128, 8);
    const double us = testing::uet::microseconds_of(tree, testing::uet::permutation(128), testing::uet::nscc());
    CHECK(us > 170);
    CHECK(us < 201);
}

}  // namespace fabricast
