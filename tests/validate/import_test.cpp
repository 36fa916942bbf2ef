// Logs of benchmarks: each is known by sight; whole logs are read, broken ones refused with their place.

#include <filesystem>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/xorshift.hpp"
#include "tests/validate/logs.hpp"
#include "validate/import/formats.hpp"
#include "validate/import/measurement.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

std::vector<Log> all_logs() {
    std::vector<Log> logs = real_logs();
    logs.push_back(log_at(fixtures / "nccl_tests.json", "nccl-tests-json"));
    logs.push_back(log_at(fixtures / "nvbandwidth.json", "nvbandwidth-json"));
    logs.push_back(log_at(fixtures / "nvbandwidth-v0.5.json", "nvbandwidth-json"));
    logs.push_back(log_at(fixtures / "p2p_bandwidth_latency.txt", "p2p-bandwidth-latency"));
    logs.push_back(log_at(fixtures / "bandwidth_test.txt", "bandwidth-test"));
    logs.push_back(log_at(fixtures / "ib_write_lat.txt", "perftest"));
    logs.push_back(log_at(fixtures / "gdrcopy_copybw.txt", "gdrcopy"));
    logs.push_back(log_at(fixtures / "gdrcopy_copylat.txt", "gdrcopy"));
    logs.push_back(log_at(fixtures / "ucx_perftest.txt", "ucx-perftest"));
    return logs;
}

// What a shortened log still tells must be the beginning of what the whole one tells.
bool is_beginning(const std::vector<Measurement>& part, const std::vector<Measurement>& whole, bool rows_may_lack) {
    if (part.size() > whole.size()) { return false; }
    for (std::size_t i = 0; i < part.size(); ++i) {
        const auto& rows = part[i].rows;
        const bool same =
            rows.size() <= whole[i].rows.size() && std::equal(rows.begin(), rows.end(), whole[i].rows.begin());
        if (!same || (!rows_may_lack && rows.size() != whole[i].rows.size()) || part[i].columns != whole[i].columns) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("every log is known by sight, read, and reads the same after it was written") {
    std::set<std::string> read;
    for (const Log& log : all_logs()) {
        INFO(log.file);
        CHECK(log_format("auto", LogText(log.text, log.file)).name == log.format);
        for (const Measurement& m : import_log(log.text, log.file, "auto")) {
            INFO(m.id);
            CHECK_FALSE(m.rows.empty());
            const Measurement again = parse_measurement(to_yaml(m), "again.yaml");
            CHECK(again.id == m.id);
            CHECK(again.columns == m.columns);
            CHECK(again.rows == m.rows);
            CHECK(text(again.benchmark, "tool") == text(m.benchmark, "tool"));
        }
        read.insert(log.format);
    }
    if (fs::exists(samples)) { CHECK(read.size() == log_formats().size()); }
}

TEST_CASE("a format says whether a log of a real run was read") {
    std::set<std::string> real;
    for (const Log& log : real_logs()) { real.insert(log.format); }
    if (real.empty()) { SKIP_TEST("no samples beside the sources"); }
    for (const LogFormat& format : log_formats()) {
        INFO(format.name);
        CHECK(format.real_sample == real.contains(std::string(format.name)));
    }
}

TEST_CASE("a log cut at any byte is refused with its place, or tells the beginning of what it told") {
    for (const Log& log : all_logs()) {
        const std::vector<Measurement> whole = import_log(log.text, log.file, log.format);
        const std::size_t step = 1 + log.text.size() / 1200;
        std::size_t refused = 0;
        std::size_t cuts = 0;
        for (std::size_t cut = 0; cut < log.text.size(); cut += step) {
            INFO(log.file << " cut at byte " << cut);
            ++cuts;
            try {
                const std::vector<Measurement> part = import_log(log.text.substr(0, cut), log.file, log.format);
                CHECK(is_beginning(part, whole, !log.footer));
            } catch (const InputError& error) {
                ++refused;
                CHECK(error.place->line >= 1);
            }
        }
        INFO(log.file);
        CHECK(refused * 2 > cuts);  // most of a log lies before its first whole table's end, or within a row
    }
}

TEST_CASE("bytes changed at random are refused with their place or read as another log, and never crash") {
    testing::Xorshift random{88172645463325252ULL};
    for (const Log& log : all_logs()) {
        for (int round = 0; round < 150; ++round) {
            std::string broken = log.text;
            for (std::size_t flips = 1 + random.below(4); flips > 0; --flips) {
                broken[random.below(broken.size())] = static_cast<char>(random.below(256));
            }
            try {
                import_log(broken, log.file, round % 2 == 0 ? log.format : "auto");
            } catch (const InputError& error) { CHECK(error.place->line >= 1); }
        }
    }
}

TEST_CASE("a figure too small for a double's full precision is read, not thrown out of range") {
    const std::string log =
        "nvbandwidth Version: v0.6\nRunning device_to_device.\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n"
        "           0         1\n 0       N/A    4.9e-324\n 1    300.00       N/A\n\nSUM device_to_device 300.00\n";
    CHECK(import_log(log, "nv.log", "nvbandwidth").at(0).rows.at(0).at(2) == "4.9e-324");
}

TEST_CASE("words as long as a page name no GPU, and are refused before anything searches them") {
    const std::string gpu(40'000, 'x');
    const std::string log =
        "# nThread 1 nGpus 1 minBytes 1024 maxBytes 1024 step: 2(factor)\n"
        "#  Rank  0 Group  0 Pid 1 on a device  0 [0000:1b:00] " +
        gpu +
        "\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
        "        1024           256     float     sum      -1    100.0   0.01   0.01      0\n"
        "# Avg bus bandwidth    : 0.01\n";
    CHECK_THAT(refusal(log, "all_reduce.log"),
               ContainsSubstring("too long for what it says: 'gpu' (found 40000 bytes"));
    try {
        import_log(with(log, gpu, "H100"), "all_reduce.log", "auto", {{"system.network", std::string(100'000, 'x')}});
        FAIL_CHECK("a network of 100,000 characters was accepted");
    } catch (const InputError& error) {
        CHECK_THAT(error.what(), ContainsSubstring("too long for what it says: 'network'"));
    }
}

TEST_CASE("what launchers, containers and mail put before every line is no part of a log") {
    const std::vector<std::string> lines = {
        "# nThread 1 nGpus 8 minBytes 1024 maxBytes 2048 step: 2(factor)",
        "#",
        "#       size         count      type   redop    root     time   algbw   busbw #wrong",
        "        1024           256     float     sum      -1   100.0   0.01   0.01      0",
        "        2048           512     float     sum      -1   100.0   0.02   0.02      0",
        "# Avg bus bandwidth    : 0.015"};
    const auto behind = [&](const auto& prefix) {
        std::string log = "a launcher's own line\n";
        for (std::size_t i = 0; i < lines.size(); ++i) { log += prefix(i) + lines[i] + "\n"; }
        return log;
    };
    for (const std::string prefix :
         {"0: ", "    ", "\t", "> ", "nccl-test-mpi-launcher-x5k | ", "[pod/launcher/mpi] "}) {
        INFO("'" << prefix << "'");
        const std::vector<Measurement> tables =
            import_log(behind([&](std::size_t) { return prefix; }), "all_reduce.log", "auto");
        REQUIRE(tables.size() == 1);
        CHECK(tables[0].rows.size() == 2);
    }
    const auto stamp = [](std::size_t i) { return "2025-06-01T12:00:0" + std::to_string(i) + ".12" + "Z "; };
    CHECK(import_log(behind(stamp), "all_reduce.log", "auto").at(0).rows.size() == 2);
    const auto pod = [&](std::size_t i) { return "[pod/x] " + stamp(i) + "| "; };
    CHECK(import_log(behind(pod), "all_reduce.log", "auto").at(0).rows.size() == 2);
    // Rows keep their place in the file, and what is not the same before all lines is named.
    CHECK_THAT(
        refusal(with(behind([](std::size_t) { return "0: "; }), "100.0   0.02", "100.0   9.02"), "all_reduce.log"),
        ContainsSubstring(":6:"));
    CHECK_THAT(refusal(behind([](std::size_t i) { return "rank" + std::to_string(i) + ": "; }), "all_reduce.log"),
               ContainsSubstring("something stands before the benchmark's lines"));
}
