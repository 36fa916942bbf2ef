// Every algorithm delivers every contribution exactly once, and moves the bytes that its closed form says.

#include <algorithm>
#include <bit>

#include "tests/sim/plan/collectives/nccl_programs.hpp"
#include "tests/sim/plan/collectives/replay.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

Contributors everyone(std::uint32_t ranks) { return (Contributors{1} << ranks) - 1; }

void check_all_reduce(const Program& p) {
    INFO(p.name << " over " << p.ranks);
    Memory memory = every_rank_its_own(p);
    REQUIRE_NOTHROW(replay(p, memory));
    for (std::uint32_t r = 0; r < p.ranks; ++r) {
        for (std::uint32_t piece = 0; piece < p.pieces; ++piece) { CHECK(memory.at(r, piece) == everyone(p.ranks)); }
    }
}

void check_reduce_scatter(const Program& p) {
    INFO(p.name << " over " << p.ranks);
    Memory memory = every_rank_its_own(p);
    REQUIRE_NOTHROW(replay(p, memory));
    for (std::uint32_t r = 0; r < p.ranks; ++r) { CHECK(memory.at(r, r) == everyone(p.ranks)); }
}

void check_all_gather(const Program& p) {
    INFO(p.name << " over " << p.ranks);
    Memory memory = empty_memory(p);
    for (std::uint32_t r = 0; r < p.ranks; ++r) { memory.at(r, r) = Contributors{1} << r; }
    REQUIRE_NOTHROW(replay(p, memory));
    for (std::uint32_t r = 0; r < p.ranks; ++r) {
        for (std::uint32_t piece = 0; piece < p.ranks; ++piece) {
            CHECK(memory.at(r, piece) == Contributors{1} << piece);
        }
    }
}

// Pieces that each rank sends.
std::vector<std::uint64_t> sent(const Program& p) {
    std::vector<std::uint64_t> pieces(p.ranks + p.relays, 0);
    for (const Message& m : p.messages) { pieces[m.src] += m.count; }
    return pieces;
}

std::uint64_t total(const Program& p) {
    std::uint64_t sum = 0;
    for (const std::uint64_t pieces : sent(p)) { sum += pieces; }
    return sum;
}

std::uint32_t steps(const Program& p) { return p.messages.empty() ? 0 : p.messages.back().step + 1; }

}  // namespace

TEST_CASE("every all-reduce gives every rank every contribution exactly once") {
    for (std::uint32_t n = 2; n <= 17; ++n) {
        check_all_reduce(ring_all_reduce(n));
        for (const std::uint32_t pieces : {1U, 2U, 5U}) { check_all_reduce(double_tree_all_reduce(n, pieces)); }
        check_all_reduce(recursive_doubling_all_reduce(n));
        check_all_reduce(halving_doubling_all_reduce(n));
        check_all_reduce(nvls_all_reduce(n));
    }
    for (std::uint32_t nodes = 1; nodes <= 5; ++nodes) {
        for (std::uint32_t per_node = 1; per_node <= 5; ++per_node) {
            check_all_reduce(hierarchical_all_reduce(nodes, per_node));
            check_all_reduce(collnet_all_reduce(nodes, per_node));
        }
    }
}

TEST_CASE("every gather and scatter of all leaves the right pieces at the right ranks") {
    for (std::uint32_t n = 1; n <= 17; ++n) {
        check_reduce_scatter(ring_reduce_scatter(n));
        check_reduce_scatter(pat_reduce_scatter(n));
        check_all_gather(ring_all_gather(n));
        check_all_gather(pat_all_gather(n));
    }
}

TEST_CASE("an all-to-all brings each rank its piece of every other") {
    for (std::uint32_t n = 1; n <= 17; ++n) {
        for (const Program& p : {pairwise_all_to_all(n), direct_all_to_all(n)}) {
            Memory memory = empty_memory(p);
            for (std::uint32_t piece = 0; piece < n * n; ++piece) {
                memory.at(piece / n, piece) = Contributors{1} << (piece / n);
            }
            REQUIRE_NOTHROW(replay(p, memory));
            for (std::uint32_t piece = 0; piece < n * n; ++piece) {
                CHECK(memory.at(piece % n, piece) == Contributors{1} << (piece / n));
            }
            CHECK(total(p) == std::uint64_t{n} * (n - 1));
        }
    }
}

TEST_CASE("in step i of a pairwise all-to-all every rank sends to the rank i ahead, the first step being 0") {
    const Program p = pairwise_all_to_all(5);
    CHECK(steps(p) == 4);
    for (const Message& m : p.messages) { CHECK(m.dst == (m.src + m.step + 1) % 5); }
}

TEST_CASE("chains carry all pieces from the root or to it") {
    for (std::uint32_t n = 2; n <= 17; ++n) {
        for (const std::uint32_t root : {0U, n - 1, n / 2}) {
            const Program down = ring_broadcast(n, root, 3);
            Memory memory = empty_memory(down);
            for (std::uint32_t piece = 0; piece < 3; ++piece) { memory.at(root, piece) = Contributors{1} << root; }
            REQUIRE_NOTHROW(replay(down, memory));
            const Program up = ring_reduce(n, root, 3);
            Memory sums = every_rank_its_own(up);
            REQUIRE_NOTHROW(replay(up, sums));
            for (std::uint32_t piece = 0; piece < 3; ++piece) {
                CHECK(sums.at(root, piece) == everyone(n));
                for (std::uint32_t r = 0; r < n; ++r) { CHECK(memory.at(r, piece) == Contributors{1} << root); }
            }
            CHECK(total(down) == std::uint64_t{3} * (n - 1));
        }
    }
}

TEST_CASE("gather, scatter and shift move each piece once") {
    for (std::uint32_t n = 2; n <= 17; ++n) {
        CHECK(total(direct_gather(n, 1)) == n - 1);
        CHECK(total(direct_scatter(n, 1)) == n - 1);
        CHECK(sent(direct_scatter(n, 1))[1] == n - 1);
        for (const std::uint64_t pieces : sent(shift(n))) { CHECK(pieces == 1); }
    }
}

TEST_CASE("each rank of a ring sends 2 (n-1) / n of the buffer") {
    for (std::uint32_t n = 2; n <= 17; ++n) {
        for (const std::uint64_t pieces : sent(ring_all_reduce(n))) {
            CHECK(pieces == 2 * (n - 1));  // of n
        }
        for (const std::uint64_t pieces : sent(pat_all_gather(n))) { CHECK(pieces == n - 1); }
        CHECK(steps(pat_all_gather(n)) == static_cast<std::uint32_t>(std::bit_width(n - 1)));
    }
}

TEST_CASE("halving and doubling send 2 (p-1) / p of the buffer in the core") {
    for (const std::uint32_t n : {2U, 4U, 8U, 16U}) {
        for (const std::uint64_t pieces : sent(halving_doubling_all_reduce(n))) { CHECK(pieces == 2 * (n - 1)); }
    }
}

TEST_CASE("a node of a double tree sends and receives twice the data at most, in all") {
    for (std::uint32_t n = 3; n <= 64; ++n) {
        const Program p = double_tree_all_reduce(n, 2);  // one piece a tree
        std::vector<std::uint64_t> received(n, 0);
        for (const Message& m : p.messages) { received[m.dst] += m.count; }
        for (std::uint32_t r = 0; r < n; ++r) {
            CHECK(sent(p)[r] <= 4);  // 2 S = 4 halves
            CHECK(received[r] <= 4);
        }
        CHECK(total(p) == 4 * (std::uint64_t{n} - 1));
    }
}

TEST_CASE("every node has one parent in each tree and inner work in one tree at most") {
    for (std::uint32_t n = 2; n <= 64; ++n) {
        std::vector<std::uint32_t> children[2] = {std::vector<std::uint32_t>(n, 0), std::vector<std::uint32_t>(n, 0)};
        for (std::uint32_t tree = 0; tree < 2; ++tree) {
            std::uint32_t roots = 0;
            for (std::uint32_t r = 0; r < n; ++r) {
                const auto up = tree_parent(tree, r, n);
                roots += up ? 0 : 1;
                if (up) {
                    REQUIRE(*up < n);
                    ++children[tree][*up];
                }
            }
            CHECK(roots == 1);
            CHECK(*std::max_element(children[tree].begin(), children[tree].end()) <= 2);
        }
        for (std::uint32_t r = 0; n > 2 && r < n; ++r) { CHECK_FALSE((children[0][r] == 2 && children[1][r] == 2)); }
    }
}

TEST_CASE("a program that sends what it does not hold, or adds twice, is caught") {
    Program p{.name = "broken", .ranks = 2, .pieces = 1, .messages = {{0, 0, 1, 0, 1, true}, {1, 0, 1, 0, 1, true}}};
    Memory memory = every_rank_its_own(p);
    CHECK_THROWS(replay(p, memory));
    Memory nothing = empty_memory(p);
    CHECK_THROWS(replay(p, nothing));
}
