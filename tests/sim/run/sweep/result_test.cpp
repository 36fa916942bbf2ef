// The table of a sweep.

#include "sim/run/sweep/result.hpp"

#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

SweepResult small() {
    SweepResult result{"small", {"cluster.nodes", "cluster.fabric"}, {"step_time_s", "bottleneck"}, {}};
    result.rows.push_back({0, {"8", "{kind: fat-tree, tiers: 2}"}, {0.25, "compute 71 %"}, ""});
    result.rows.push_back({1, {"16", "{kind: none}"}, {nullptr, nullptr}, "a.yaml:2:1: 'none' with \"16\" nodes"});
    return result;
}

}  // namespace

TEST_CASE("a sweep's CSV quotes what a comma, a quote or a line break would split") {
    CHECK(csv_text(records_of(small())) ==
          "point,cluster.nodes,cluster.fabric,step_time_s,bottleneck,error\n"
          "0,8,\"{kind: fat-tree, tiers: 2}\",0.25,compute 71 %,\n"
          "1,16,{kind: none},,,\"a.yaml:2:1: 'none' with \"\"16\"\" nodes\"\n");
}

TEST_CASE("a table on the terminal has the batch where points step different ones, and only there") {
    SweepResult result{"t", {"workload.parallelism.tensor"}, {"global_batch", "step_time_s"}, {}};
    for (const char* tensor : {"1", "2"}) { result.rows.push_back({0, {tensor}, {16, 0.25}, ""}); }
    result.rows.push_back({2, {"3"}, {nullptr, nullptr}, "no layout"});
    CHECK_THAT(sweep_table(result), !ContainsSubstring("batch"));
    result.rows[1].figures[0] = 8;
    CHECK_THAT(sweep_table(result), ContainsSubstring("#tensor  batch") && ContainsSubstring("16  250 ms"));
}

TEST_CASE("every row of a sweep has as many cells as there are columns") {
    const SweepResult result = small();
    const Records table = records_of(result);
    for (const std::vector<Json>& row : table.rows) { CHECK(row.size() == table.columns.size()); }
    CHECK(failed_points(result) == 1);
}
