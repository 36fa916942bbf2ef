#include "sim/report/assertion.hpp"

#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Report two_rows_and_two_points() {
    Report report;
    report.rows.push_back({{1 << 20}, 1e-4, 0.9e-4, 1.1e-4, 1e10, 2e10, "ring", "simple", 8, "latency", {}});
    report.points.push_back({1, 8, 2e10, 1, {}, {}, {}});
    report.points.push_back({2, 16, 1e10, 0.5, 0.2, 0.1, 0.5});
    return report;
}

std::vector<std::string> failures(const std::string& statement) {
    Scenario scenario;
    scenario.asserts = {statement};
    return failed_asserts(scenario, two_rows_and_two_points());
}

}  // namespace

TEST_CASE("a statement that holds passes") {
    for (const char* statement : {"time(1 MiB) < 101 us", "time(1 MiB) >= 100 us", "algbw(1 MiB) <= 10 GB/s",
                                  "busbw( 1 MiB )>19 GB/s", "efficiency(2) >= 0.5", "busbw_retained(2) < 0.6"}) {
        INFO(statement);
        CHECK(failures(statement).empty());
    }
}

TEST_CASE("a statement that does not hold is returned with what was found") {
    CHECK(failures("busbw(1 MiB) > 30 GB/s") == std::vector<std::string>{"busbw(1 MiB) > 30 GB/s: found 20 GB/s"});
    CHECK(failures("time(1 MiB) < 100 us") == std::vector<std::string>{"time(1 MiB) < 100 us: found 100 us"});
    CHECK(failures("efficiency(2) > 0.9") == std::vector<std::string>{"efficiency(2) > 0.9: found 50 %"});
}

TEST_CASE("a statement about a row that does not exist fails rather than passes") {
    CHECK(failures("busbw(2 MiB) > 1 GB/s") ==
          std::vector<std::string>{"busbw(2 MiB) > 1 GB/s: no such row in the result"});
    CHECK(failures("efficiency(1) > 0.1").size() == 1);  // a point without a step has none
    CHECK(failures("efficiency(4) > 0.1").size() == 1);
}
