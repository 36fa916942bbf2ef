#include "validate/curves/curve.hpp"

#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Measurement table(const std::string& columns, const std::string& rows) {
    return parse_measurement(
        "id: t\nsource: {url: x}\nkind: nccl\nsystem: {gpu: x}\ncolumns: [" + columns + "]\nrows:\n" + rows, "t.yaml");
}

// Times in microseconds at doubling sizes from 8 bytes.
Curve from_times(const std::vector<double>& microseconds) {
    Curve curve;
    std::int64_t size = 8;
    for (const double t : microseconds) {
        curve.points.push_back({Bytes{size}, t * 1e-6, ""});
        size *= 2;
    }
    leave_out_warm_up(curve);
    return curve;
}

std::vector<std::size_t> left_out(const Curve& curve) {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        if (!curve.points[i].left_out.empty()) { which.push_back(i); }
    }
    return which;
}

}  // namespace

TEST_CASE("the measured time is the smaller of out of place and in place") {
    const Curve curve =
        read_curve(table("size_bytes, time_us, algbw_GBps, inplace_time_us",
                         "  - [1024, 9.0, 0.1, 7.5]\n  - [2048, 8.0, 0.2, 9.5]\n  - [4096, null, 0.3, 9.0]\n"),
                   1);
    REQUIRE(curve.points.size() == 3);
    CHECK(curve.points[0].seconds == Approx(7.5e-6));
    CHECK(curve.points[1].seconds == Approx(8.0e-6));
    CHECK(curve.points[2].seconds == Approx(9.0e-6));
}

TEST_CASE("milliseconds, sizes with letters and N/A are read") {
    const Curve curve =
        read_curve(table("size, latency_ms, ip_latency_ms", "  - [64K, 0.02, N/A]\n  - [1 MiB, 0.1, 0.09]\n"), 1);
    REQUIRE(curve.points.size() == 2);
    CHECK(curve.points[0].size.count == 65536);
    CHECK(curve.points[0].seconds == Approx(20e-6));
    CHECK(curve.points[1].seconds == Approx(90e-6));
}

TEST_CASE("a size beyond 64 bits, or of half a byte, is refused with its row") {
    for (const char* size : {"1e30", "9223372036854775808", "8.5"}) {
        INFO(size);
        CHECK_THROWS_WITH(
            read_curve(table("size_bytes, time_us", std::string("  - [8, 1.0]\n  - [") + size + ", 2.0]\n"), 1),
            ContainsSubstring(size) && ContainsSubstring("whole bytes, at most 1e18"));
    }
    CHECK(read_curve(table("size_bytes, time_us", "  - [1e9, 1.0]\n"), 1).points[0].size.count == 1'000'000'000);
}

TEST_CASE("a bandwidth stands in for a time that is not printed") {
    // 1 MiB at algbw 50 GB/s is 20.97 us; at busbw 50 GB/s with factor 1.75 it is 1.75 times that.
    CHECK(read_curve(table("size_bytes, algbw_GBps", "  - [1048576, 50.00]\n"), 1.75).points[0].seconds ==
          Approx(1048576 / 50e9));
    CHECK(read_curve(table("size_bytes, busbw_GBps", "  - [1048576, 50.00]\n"), 1.75).points[0].seconds ==
          Approx(1.75 * 1048576 / 50e9));
    CHECK(read_curve(table("size_bytes, algbw_Gbps", "  - [1048576, 400]\n"), 1).points[0].seconds ==
          Approx(1048576 / 50e9));
}

TEST_CASE("a bandwidth printed too coarsely is left out") {
    const Curve curve =
        read_curve(table("size_bytes, busbw_GBps", "  - [1024, 0.04]\n  - [2048, 0.09]\n  - [4096, 0.10]\n"), 1);
    CHECK(curve.points[0].left_out == "unreadable");  // +-0.005 of 0.04 is 12.5 %
    CHECK(curve.points[1].left_out == "unreadable");
    CHECK(curve.points[2].left_out.empty());
}

TEST_CASE("a table that is not a size curve is said to be none") {
    CHECK_THROWS_AS(read_curve(table("n_gpus, busbw_GBps", "  - [4, 1.0]\n"), 1), NotACurve);
    CHECK_THROWS_AS(read_curve(table("size_bytes, wrong", "  - [4, 1.0]\n"), 1), NotACurve);
    CHECK_THROWS_AS(read_curve(table("size_bytes, time_us", "  - [0, 1.0]\n"), 1), NotACurve);
    CHECK_THROWS_AS(read_curve(table("size_bytes, time_us", "  - [many, 1.0]\n"), 1), InputError);
    CHECK_THROWS_AS(read_curve(table("size_bytes, time_us", "  - [4, fast]\n"), 1), InputError);
}

TEST_CASE("leading sizes that are slower than larger ones are warm-up") {
    CHECK(left_out(from_times({83, 35, 34, 34, 35, 36})) == std::vector<std::size_t>{0});
    CHECK(left_out(from_times({6300, 3200, 560, 380, 360, 380})) == std::vector<std::size_t>{0, 1, 2});
    CHECK(left_out(from_times({10, 13, 10, 10, 10})) == std::vector<std::size_t>{0, 1});
    CHECK(left_out(from_times({10, 10, 10, 11, 12})).empty());
    CHECK(left_out(from_times({10, 5})).empty());  // too short to tell
}

TEST_CASE("a spike between two faster neighbours is left out, a step is not") {
    CHECK(left_out(from_times({10, 10, 10, 10, 16, 10, 11})) == std::vector<std::size_t>{4});
    CHECK(left_out(from_times({10, 10, 10, 10, 16, 16, 17})).empty());
}
