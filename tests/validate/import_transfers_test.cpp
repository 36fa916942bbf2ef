// Logs of perftest, OSU's benchmarks, ucx_perftest and nvbandwidth.

#include <filesystem>

#include "base/text_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/validate/logs.hpp"
#include "validate/import/formats.hpp"
#include "validate/import/measurement.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("a matrix that its sum contradicts is refused") {
    const std::vector<Log> logs = real_logs();
    if (const Log* log = named(logs, "nvbandwidth_results.log")) {
        CHECK_THAT(refusal(with(log->text, "369.36", "369.63"), log->file), ContainsSubstring("the sum of a matrix"));
    }
    const std::string json = read_text(fixtures / "nvbandwidth.json", 1 << 20);
    const Measurement m = import_log(json, "x.json", "auto").at(0);
    CHECK(text(m.system, "gpu") == "NVIDIA H100 80GB HBM3");
    CHECK(text(m.benchmark, "tool") == "nvbandwidth v0.6");
    CHECK_THAT(refusal(with(json, "276.07", "279.07"), "x.json"), ContainsSubstring("x.json:24:"));
    CHECK_THAT(refusal(with(json, "\"276.19\"", "\"fast\""), "x.json"), ContainsSubstring("x.json:20:"));
}

TEST_CASE("perftest: units are perftest's, both sides of a loopback count once") {
    const std::vector<Log> logs = real_logs();
    if (const Log* log = named(logs, "ib_loopback_all_sizes.log")) {
        const Measurement m = import_log(log->text, log->file, "auto").at(0);
        CHECK(m.columns[3] == "bw_avg_MiBps");
        CHECK(m.rows.size() == 23);
        CHECK_THAT(refusal(with(log->text, "22411.35", "12411.35"), log->file), ContainsSubstring("BW average"));
    }
    const std::string latency = read_text(fixtures / "ib_write_lat.txt", 1 << 20);
    const Measurement m = import_log(latency, "ib_write_lat.txt", "auto").at(0);
    CHECK(text(m.benchmark, "tool") == "ib_write_lat");
    CHECK(m.rows[0][4] == "1.87");
    CHECK_THAT(refusal(with(latency, "1.87", "7.87"), "x.txt"), ContainsSubstring("t_typical outside"));
}

TEST_CASE("perftest: a damaged row, or one behind the end of its table, is never lost") {
    const std::string log = read_text(fixtures / "ib_write_lat.txt", 1 << 20);
    for (const char* damaged : {"4x      1000", "x       1000", "4x      1O00     "}) {
        INFO(damaged);
        const std::string text = with(log, " 4       1000", std::string(" ") + damaged);
        CHECK((refusal(text, "x.txt") != "" || import_log(text, "x.txt", "auto").at(0).rows.size() == 2));
    }
    CHECK_THAT(refusal(with(log, " 4       1000", " 4x      1000"), "x.txt"), ContainsSubstring("'4x'"));
    const std::string row = " 8       1000          1.77           5.14         1.85   1.86  0.09  2.05  5.14\n";
    CHECK_THAT(refusal(log + row, "x.txt"), ContainsSubstring("behind the line of dashes"));
}

TEST_CASE("osu: rows between a launcher's lines are read, damaged ones refused, words that are no rows left out") {
    const std::string head = "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n1       1.10\n";
    const auto rows = [&](const std::string& text) {
        return import_log(head + text, "o.txt", "osu").at(0).rows.size();
    };
    CHECK(rows("[n1] a warning of the launcher\n2       1.20\n4       1.30\n") == 3);
    CHECK(rows("2       1.20\nreal 1.23\n2 processes were killed\n") == 2);
    CHECK_THAT(refusal(head + "2x      1.20\n4       1.30\n", "o.txt"), ContainsSubstring("o.txt:4:1"));
    CHECK_THAT(refusal(head + "[n1] a warning\n2       1.20 3\n", "o.txt"), ContainsSubstring("o.txt:5:1"));
}

TEST_CASE("ucx_perftest: where the size is not told it follows from bandwidth and rate") {
    const std::string text = read_text(fixtures / "ucx_perftest.txt", 1 << 20);
    const Measurement m = import_log(text, "ucx.txt", "auto").at(0);
    CHECK(m.rows[0][0] == "8");  // 3.10 * 2^20 / 405944
    const std::string banner = "| Message size: 8 |\n" + text;
    CHECK_THAT(refusal(with(banner, "405944", "905944"), "u.txt"), ContainsSubstring("bandwidth does not follow"));
}

TEST_CASE("a test of several pairs keeps how many it has") {
    const std::vector<Measurement> read = import_log(
        "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n# [ pairs: 8 ] [ window size: 64 ]\n"
        "# Size                  MB/s        Messages/s\n1                       9.10        9098760.31\n",
        "m.txt", "osu");
    REQUIRE(read.size() == 1);
    CHECK(text(read[0].benchmark, "options") == "[ pairs: 8 ] [ window size: 64 ]");
    CHECK(read[0].columns == std::vector<std::string>{"size_bytes", "bandwidth_MBps", "messages_per_s"});
}

TEST_CASE("a run that its own check calls wrong is refused") {
    if (!fs::exists(samples / "osu")) { SKIP_TEST("no samples beside the sources"); }
    const Log log = log_at(samples / "osu/osu_alltoall_gpu.txt", "osu", false);
    CHECK_THAT(refusal(with(log.text, "Pass", "Fail"), log.file), ContainsSubstring("failed its own check"));
    CHECK_THAT(refusal(with(read_text(fixtures / "bandwidth_test.txt", 1 << 20), "PASS", "FAIL"), "b.txt"),
               ContainsSubstring("the run failed"));
}

TEST_CASE("perftest's share of the CPU is a column like others") {
    const std::vector<Measurement> tables = import_log(
        "                    RDMA_Write BW Test\n"
        " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]   CPU_Util[%]\n"
        " 65536      5000             11000.00            11000.00           0.176000        3.25\n"
        "---------------------------------------------------------------------------------------\n",
        "bw.log", "perftest");
    REQUIRE(tables.at(0).columns.back() == "cpu_util_percent");
    CHECK(tables.at(0).rows.at(0).back() == "3.25");
}
