// What 64 bits hold of bytes and picoseconds, and that nothing wraps around beyond.

#include "base/units.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("a time or an amount that 64 bits do not hold is refused, whatever operation makes it") {
    CHECK((Duration{most - 1} + Duration{1}).ps == most);
    CHECK_THROWS_AS(Duration{most} + Duration{1}, OutOfRange);
    CHECK_THROWS_AS(Duration{-2} - Duration{most}, OutOfRange);
    CHECK_THROWS_AS(Duration{most / 2} * 3, OutOfRange);
    CHECK_THROWS_AS(microseconds(most / 1000), OutOfRange);
    CHECK_THROWS_AS(Bytes{most} + Bytes{1}, OutOfRange);
    CHECK_THROWS_AS(Bytes{-2} - Bytes{most}, OutOfRange);
    CHECK_THROWS_AS(Bytes{1 << 30} * (std::int64_t{1} << 34), OutOfRange);
    // 2^63 ps are 9,223,372.036... s.
    CHECK(from_seconds(9'223'372).ps == 9'223'372'000'000'000'000);
    CHECK_THROWS_AS(from_seconds(9'223'373), OutOfRange);
    CHECK_THROWS_AS(from_seconds(-1e300), OutOfRange);
    CHECK_THROWS_AS(from_seconds(std::numeric_limits<double>::quiet_NaN()), OutOfRange);
    CHECK(rounded_bytes(1.5e18).count == 1'500'000'000'000'000'000);
    CHECK_THROWS_AS(rounded_bytes(1e19), OutOfRange);
    CHECK_THROWS_AS(rounded_bytes(std::numeric_limits<double>::infinity()), OutOfRange);
}
