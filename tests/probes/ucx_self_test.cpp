#include "validate/transfers/ucx_self.hpp"

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"
#include "validate/import/probes_page.hpp"

using namespace fabricast;

namespace {

// Two protocols: 1 us + S / 1 GB/s below 4 KiB, 5 us + S / 10 GB/s from there.
double truth(double bytes) { return bytes < 4096 ? 1e-6 + bytes * 1e-9 : 5e-6 + bytes * 1e-10; }

std::vector<TimedSize> curve() {
    std::vector<TimedSize> points;
    for (int power = 3; power <= 22; ++power) {
        const double bytes = std::ldexp(1.0, power);
        points.push_back({bytes, truth(bytes)});
    }
    return points;
}

// One curve in so many rounds; round r is slower by `drift` of the round before.
Measurement run(int rounds, double drift) {
    std::ostringstream text;
    text << "id: a\nsource: {url: b}\nkind: ucx\nsystem: {cpu: c}\ncolumns: [transport, round, size_bytes, time_us]\n"
            "rows:\n";
    text.precision(12);
    for (int round = 0; round < rounds; ++round) {
        for (const TimedSize& point : curve()) {
            text << "  - [tcp, " << round << ", " << point.bytes << ", "
                 << point.seconds * 1e6 * std::pow(1 + drift, round) << "]\n";
        }
    }
    return parse_measurement(text.str(), "a.yaml");
}

}  // namespace

TEST_CASE("two protocols are told apart where they change, with their latencies and rates") {
    const std::vector<ProtocolSegment> segments = fit_protocols(curve());
    REQUIRE(segments.size() == 2);
    CHECK(segments[0].latency == Approx(1e-6));
    CHECK(segments[0].seconds_per_byte == Approx(1e-9));
    CHECK(segments[1].from == 4096);
    CHECK(segments[1].latency == Approx(5e-6));
    CHECK(segments[1].seconds_per_byte == Approx(1e-10));
    for (const TimedSize& point : curve()) { CHECK(forecast(segments, point.bytes) == Approx(point.seconds)); }
    CHECK(forecast(segments, 3000) == Approx(truth(3000)));  // a size that was not fitted
}

TEST_CASE("one protocol with a little noise stays one segment") {
    std::vector<TimedSize> points;
    int i = 0;
    for (int power = 3; power <= 22; ++power) {
        const double bytes = std::ldexp(1.0, power);
        points.push_back({bytes, (2e-6 + bytes * 1e-10) * (i++ % 2 == 0 ? 1.01 : 0.99)});
    }
    CHECK(fit_protocols(points).size() == 1);
}

TEST_CASE("neither latency nor rate is ever negative") {
    const std::vector<ProtocolSegment> falling = fit_protocols({{8, 3e-6}, {16, 2e-6}, {32, 1e-6}});
    const std::vector<ProtocolSegment> steep = fit_protocols({{8, 1e-9}, {16, 1e-6}, {32, 3e-6}});
    for (const auto& segments : {falling, steep}) {
        for (const ProtocolSegment& s : segments) {
            CHECK(s.latency >= 0);
            CHECK(s.seconds_per_byte >= 0);
        }
    }
}

TEST_CASE("what is judged is not what was fitted: a drift between rounds is seen in both figures") {
    const SelfForecast still = forecast_itself(run(4, 0));
    CHECK(still.median_pct < 0.01);
    CHECK(still.noise_pct < 0.01);
    CHECK(still.curves == 1);
    CHECK(still.rows == 2 * curve().size());
    // Rounds 0 and 1: the second is 10 % slower, so the forecast is 1 / 1.1 of it.
    const SelfForecast drifting = forecast_itself(run(2, 0.1));
    CHECK(drifting.median_pct == Approx(100 * (1 - 1 / 1.1)).epsilon(1e-3));
    CHECK(drifting.noise_pct == Approx(10).epsilon(1e-3));
}

TEST_CASE("one round, or a table without rounds, is too little to judge") {
    CHECK_THROWS_WITH(forecast_itself(run(1, 0)), ContainsSubstring("two rounds"));
    CHECK_THROWS_WITH(
        forecast_itself(parse_measurement("id: a\nsource: {url: b}\nkind: ucx\nsystem: {cpu: c}\ncolumns: "
                                          "[size_bytes, time_us]\nrows: [[8, 1]]\n",
                                          "a.yaml")),
        ContainsSubstring("not a probe's table"));
}

TEST_CASE("docs/probes.md is what the measurements say") {
    const std::filesystem::path root = FABRICAST_SOURCE_DIR;
    std::ostringstream text;
    text << std::ifstream(root / "docs/probes.md").rdbuf();
    const std::filesystem::path measurements = root / "validate/measurements";
    CHECK(text.str() == probes_page(yaml::read(measurements / "probes.yaml"), probe_runs(measurements)));
}

TEST_CASE("a probe without a measurement is called never run") {
    const std::string page =
        probes_page(yaml::parse("compiler: GCC 12\nprobes: {probe-cuda: built with nvcc 13.0}\n", "probes.yaml"), {});
    CHECK_THAT(page, ContainsSubstring("| `probe-cuda` | built with nvcc 13.0 | **never run** |"));
}
