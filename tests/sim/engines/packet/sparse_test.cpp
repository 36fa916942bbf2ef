// Arrays of which only the parts in use take memory.

#include "sim/engines/packet/sparse.hpp"

#include "tests/support/catch.hpp"

namespace fabricast::inline packet {

TEST_CASE("what is released is given back as a whole, and its neighbours keep what they hold") {
    constexpr std::size_t part = 3000;  // 24 kB: two to three on each block of 64 KiB
    Sparse<std::uint64_t> array(100 * part);
    for (std::size_t i = 0; i < 100; ++i) { array.claim(i * part, part); }
    for (std::size_t i = 0; i < array.size(); ++i) { array[i] = i + 1; }
    for (std::size_t i = 0; i < 100; ++i) {
        if (i % 10 != 0) { array.release(i * part, part); }
    }
    for (std::size_t i = 0; i < 100; i += 10) {
        for (std::size_t j = i * part; j < (i + 1) * part; ++j) { REQUIRE(array[j] == j + 1); }
    }
    CHECK(array[5 * part] == 0);  // in the middle of nine parts that were released: read again, it is empty
    array.release(0, part);
    CHECK(array[0] == 0);
}

TEST_CASE("an array may reserve far more than it uses") {
    Sparse<std::uint64_t> array(std::size_t{1} << 33);  // 64 GiB
    array.claim(array.size() - 10, 10);
    array[array.size() - 1] = 7;
    Sparse<std::uint64_t> moved = std::move(array);
    CHECK(moved[moved.size() - 1] == 7);
    CHECK(moved[0] == 0);
}

}  // namespace fabricast::inline packet
