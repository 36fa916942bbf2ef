#include "tests/support/catch.hpp"
#include "validate/curves/curve.hpp"
#include "validate/import/measurement.hpp"

using namespace fabricast;

namespace {

Measurement table() {
    return parse_measurement(R"(id: run
source: {url: here}
kind: nccl
system: {gpu: H100}
software: {nccl: "2.26.2", env: NCCL_DEBUG=INFO}
benchmark: {tool: probe-nccl}
columns: [collective, env, round, size_bytes, time_us, busbw_GBps]
rows:
  - [all_reduce, "", 0, 8, 10, 0.1]
  - [all_reduce, "", 0, 16, 11, 0.1]
  - [all_gather, NCCL_ALGO=Ring, 0, 8, 20, 0.1]
  - [all_reduce, "", 1, 16, 13, 0.2]
  - [all_reduce, "", 1, 8, 12, 0.2]
  - [all_reduce, "", 2, 8, 14, 0.3]
)",
                             "run.yaml");
}

}  // namespace

TEST_CASE("each set of labels is a measurement of its own, and its labels are its words") {
    const std::vector<Measurement> parts = split_series(table());
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].id == "run all_reduce");
    CHECK(text(parts[0].benchmark, "collective") == "all_reduce");
    CHECK(text(parts[0].software, "env") == "NCCL_DEBUG=INFO");
    CHECK(parts[1].id == "run all_gather NCCL_ALGO=Ring");
    CHECK(text(parts[1].software, "env") == "NCCL_DEBUG=INFO NCCL_ALGO=Ring");
    CHECK(text(parts[1].software, "nccl") == "2.26.2");
    CHECK(parts[1].row_places.front().line == 11);
}

TEST_CASE("of a size's rounds the median stays, sizes ascending") {
    const Measurement all_reduce = split_series(table()).front();
    CHECK(all_reduce.columns == std::vector<std::string>{"size_bytes", "time_us", "busbw_GBps"});
    REQUIRE(all_reduce.rows.size() == 2);
    CHECK(all_reduce.rows[0] == std::vector<std::string>{"8", "12", "0.2"});   // of 10, 12, 14
    CHECK(all_reduce.rows[1] == std::vector<std::string>{"16", "11", "0.1"});  // of 11, 13 the lower
    CHECK(read_curve(all_reduce, 1).points.size() == 2);
}

TEST_CASE("a table of one curve comes back as it is") {
    const Measurement one = parse_measurement(
        "id: a\nsource: {url: b}\nkind: nccl\nsystem: {gpu: H100}\ncolumns: [size_bytes, time_us]\nrows: [[8, 1]]\n",
        "a.yaml");
    CHECK_FALSE(has_series(one));
    REQUIRE(split_series(one).size() == 1);
    CHECK(split_series(one).front().rows == one.rows);
}
