// What the probes write is what fabricast reads: each file goes through its parser.

#include "core/writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"
#include "validate/import/measurement.hpp"

namespace {

probe::MeasurementFile sample() {
    probe::MeasurementFile file;
    file.id = "a \"b\" \\ c";
    file.kind = "ucx";
    file.source = {probe::words("probe", "probe-x"), probe::words("machine", "")};
    file.system = {probe::words("cpu", "tab\there, ümlaut"), probe::count("nodes", 2)};
    file.software = {probe::words("env", "A=1 B='x: #y'")};
    file.benchmark = {probe::words("tool", "probe-x")};
    file.label_columns = {"transport", "operation"};
    probe::Row row;
    row.labels = {"tcp", "send"};
    row.round = 1;
    row.size_bytes = 4096;
    row.iterations = 10;
    row.time_us = probe::summarize({2.0, 4.0, 3.0});
    row.checked_bytes = 40960;
    file.rows = {row};
    return file;
}

std::string cell(const fabricast::Measurement& m, const std::string& column) {
    const auto at = std::find(m.columns.begin(), m.columns.end(), column);
    REQUIRE(at != m.columns.end());
    return m.rows[0][static_cast<std::size_t>(at - m.columns.begin())];
}

}  // namespace

TEST_CASE("a probe's file is read back by fabricast's parser, word for word") {
    const fabricast::Measurement m = fabricast::parse_measurement(probe::to_yaml(sample()), "probe.yaml");
    CHECK(m.id == "a \"b\" \\ c");
    CHECK(m.kind == "ucx");
    CHECK(fabricast::text(m.system, "cpu") == "tab\there, ümlaut");
    CHECK(fabricast::text(m.system, "nodes") == "2");
    CHECK(fabricast::text(m.software, "env") == "A=1 B='x: #y'");
    CHECK(fabricast::text(m.source, "machine").empty());
    REQUIRE(m.rows.size() == 1);
    CHECK(cell(m, "transport") == "tcp");
    CHECK(cell(m, "round") == "1");
    CHECK(cell(m, "size_bytes") == "4096");
    CHECK(cell(m, "samples") == "3");
    CHECK(cell(m, "time_us") == "3");
    CHECK(cell(m, "time_min_us") == "2");
    CHECK(cell(m, "time_max_us") == "4");
    // 4096 B in 3 us.
    CHECK(std::stod(cell(m, "rate_GBps")) == Approx(4096 / 3e-6 / 1e9));
    CHECK(cell(m, "checked_bytes") == "40960");
}

TEST_CASE("a file without rows is still a file") {
    probe::MeasurementFile file = sample();
    file.rows.clear();
    CHECK(fabricast::parse_measurement(probe::to_yaml(file), "probe.yaml").rows.empty());
}

TEST_CASE("figures keep seven digits and never an exponent") {
    CHECK(probe::figure(1.5) == "1.5");
    CHECK(probe::figure(123456789) == "123456789");
    CHECK(probe::figure(0.0000012) == "0.000001200000");
    CHECK(probe::figure(1073741824.0) == "1073741824");
}

TEST_CASE("a file is whole or absent, and an old one stays until the new one is whole") {
    const auto folder = std::filesystem::temp_directory_path() / ("probe_writer_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "out.yaml").string();
    probe::write_whole(path, "one");
    probe::write_whole(path, "two");
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    CHECK(text.str() == "two");
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
    CHECK_THROWS_AS(probe::write_whole((folder / "no" / "out.yaml").string(), "x"), std::runtime_error);
    std::filesystem::remove_all(folder);
}
