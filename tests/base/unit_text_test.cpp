#include "base/unit_text.hpp"

#include "tests/support/catch.hpp"

using namespace fabricast;

TEST_CASE("sizes are exact bytes") {
    CHECK(parse_bytes("8 B").count == 8);
    CHECK(parse_bytes("8B").count == 8);
    CHECK(parse_bytes("4 MiB").count == 4 << 20);
    CHECK(parse_bytes("1.5 KiB").count == 1536);
    CHECK(parse_bytes("1.5 GB").count == 1'500'000'000);
    CHECK(parse_bytes("1e3 kB").count == 1'000'000);
    CHECK(parse_bytes("0 B").count == 0);
}

TEST_CASE("times are exact picoseconds") {
    CHECK(parse_duration("25 ns").ps == 25'000);
    CHECK(parse_duration("1.5 us").ps == 1'500'000);
    CHECK(parse_duration("1.5 \xC2\xB5s").ps == 1'500'000);
    CHECK(parse_duration("120 ms").ps == 120'000'000'000);
    CHECK(parse_duration("1 ps").ps == 1);
}

TEST_CASE("rates are exact fractions") {
    CHECK(parse_rate("400 Gb/s") == Rate(1, 20));
    CHECK(parse_rate("50 GB/s") == Rate(1, 20));
    CHECK(parse_rate("26.5625 GB/s") == Rate(265625, 10'000'000));
    CHECK(parse_rate("1 b/s") == Rate(1, 8'000'000'000'000));
}

TEST_CASE("other quantities come in their base unit") {
    CHECK(parse_quantity("312 TFLOP/s", Dimension::compute) == 3.12e14);
    CHECK(parse_quantity("2 EFLOP/s", Dimension::compute) == 2e18);
    CHECK(parse_quantity("700 W", Dimension::power) == 700);
    CHECK(parse_quantity("5 ns/m", Dimension::time_per_length) == 5e-9);
    CHECK(parse_quantity("80 %").value == 0.8);
    CHECK(parse_quantity("32 GT/s").dimension == Dimension::transfers);
}

TEST_CASE("what is not a quantity is refused with what is accepted") {
    CHECK_THROWS_WITH(parse_bytes("1024"),
                      ContainsSubstring("a figure without its unit (found '1024'; accepted: a figure "
                                        "with its unit, as 4 MiB, in B, kB, KiB"));
    CHECK_THROWS_WITH(parse_rate("400 Gbps"), ContainsSubstring("nearest: 'Gb/s'"));
    CHECK_THROWS_WITH(parse_bytes("4 Mib"), ContainsSubstring("unknown unit"));
    CHECK_THROWS_WITH(parse_bytes("4 us"), ContainsSubstring("a unit of another kind"));
    CHECK_THROWS_WITH(parse_bytes("-4 B"), ContainsSubstring("a negative figure"));
    CHECK_THROWS_WITH(parse_bytes("nan B"), ContainsSubstring("not a finite figure"));
    CHECK_THROWS_WITH(parse_rate(".inf"), ContainsSubstring("not a finite figure"));
    CHECK_THROWS_WITH(parse_bytes("0.3 B"), ContainsSubstring("not a whole number of bytes"));
    CHECK_THROWS_WITH(parse_duration("0.5 ps"), ContainsSubstring("not a whole number of picoseconds"));
    CHECK_THROWS_WITH(parse_bytes("10000 PiB"), ContainsSubstring("too large"));
    CHECK_THROWS_WITH(parse_bytes("1e300 B"), ContainsSubstring("too large"));
    CHECK_THROWS_WITH(parse_rate("0 GB/s"), ContainsSubstring("a rate of zero"));
    CHECK_THROWS_WITH(parse_quantity("1e999 W", Dimension::power), ContainsSubstring("too large"));
    for (const char* nonsense : {"", " ", ".", "e3 B", "B", "1..2 B", "1 2 B", "--1 B", "0x10 B"}) {
        CHECK_THROWS_AS(parse_bytes(nonsense), UnitError);
    }
}

TEST_CASE("texts of quantities are short and read back") {
    CHECK(text(Bytes{4 << 20}) == "4 MiB");
    CHECK(text(Bytes{1000}) == "1000 B");
    CHECK(text(Duration{1'500'000}) == "1.5 us");
    CHECK(text(Rate(1, 20)) == "50 GB/s");
    CHECK(text(3.12e14, Dimension::compute) == "312 TFLOP/s");
    for (const std::int64_t count : {0L, 1L, 1000L, 1024L, 1536L, 1L << 33}) {
        CHECK(parse_bytes(text(Bytes{count})).count == count);
    }
}
