#include "sim/scenario/assertion.hpp"

#include "base/unit_text.hpp"
#include "sim/report/failed_asserts.hpp"
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
    for (const char* statement :
         {"time(1 MiB) < 101 us", "time(1 MiB) >= 100 us", "algbw(1 MiB) <= 10 GB/s", "busbw( 1 MiB )>19 GB/s",
          "efficiency(2) >= 0.5", "busbw_retained(2) < 0.6", "busbw >= 20 GB/s at 1 MiB",
          "efficiency >= 50 % at 16 gpus", "step_time <= 201 ms", "exposed<=0.11 s at 2 nodes"}) {
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

TEST_CASE("statements about training steps hold for the cluster they name, or for every one") {
    Report report;
    report.steps.resize(2);
    report.steps[0].nodes = 16;
    report.steps[0].gpus = 128;
    report.steps[0].mfu = 0.5;
    report.steps[0].step_time_s = 2;
    report.steps[1] = report.steps[0];
    report.steps[1].nodes = 128;
    report.steps[1].gpus = 1024;
    report.steps[1].efficiency = 0.85;
    report.steps[1].tokens_per_s = 1e6;
    const auto failed = [&](const std::string& statement) {
        Scenario scenario;
        scenario.asserts = {statement};
        const std::vector<std::string> all = failed_asserts(scenario, report);
        return all.empty() ? "" : all.front();
    };
    CHECK(failed("efficiency >= 0.9 at 1024 gpus") == "efficiency >= 0.9 at 1024 gpus: found 85 %");
    CHECK(failed("efficiency >= 0.9 at 16 nodes").empty());
    CHECK(failed("efficiency >= 0.9") == "efficiency >= 0.9: found 85 % at 1024 gpus");
    CHECK(failed("step_time <= 2 s").empty());
    CHECK(failed("mfu > 0.5") == "mfu > 0.5: found 50 % at 128 gpus");
    CHECK(failed("tokens_per_s > 2e6 at 1024 gpus") == "tokens_per_s > 2e6 at 1024 gpus: found 1000000");
    report.steps.pop_back();
    CHECK(failed("efficiency >= 0.1") ==
          "efficiency >= 0.1: no such row in the result");  // of one cluster there is none
}

TEST_CASE("a statement that says where twice, not at all, or where there is no where is refused") {
    for (const char* statement : {"busbw(1 MiB) > 1 GB/s at 1 MiB", "busbw > 1 GB/s", "makespan < 1 s at 8 gpus",
                                  "efficiency > 0.9 at 1 GiB", "efficiency > 0.9 GB/s", "busbw(1 MiB > 1 GB/s"}) {
        INFO(statement);
        yaml::Node node;
        node.kind = yaml::Kind::scalar;
        node.text = statement;
        CHECK_THROWS_AS(asserted::checked(node), InputError);
    }
}

TEST_CASE("a share above 1 is written in per cent, and only a share is") {
    for (const char* statement : {"mfu < 58", "efficiency > 90 at 16 gpus", "tokens_per_s > 5 %"}) {
        INFO(statement);
        CHECK_THROWS_AS(failures(statement), UnitError);
    }
    CHECK_THROWS_WITH(failures("mfu < 58"), ContainsSubstring("accepted: up to 1, or 58 %"));
    CHECK(failures("busbw_retained(2) < 120 %").empty());
}

TEST_CASE("a bound that is not a finite number is refused") {
    for (const char* statement : {"mfu > NaN", "mfu < inf", "efficiency > nan", "efficiency >= -inf at 16 gpus"}) {
        INFO(statement);
        CHECK_THROWS_AS(failures(statement), UnitError);
    }
}
