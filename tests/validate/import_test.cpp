// Logs of benchmarks: real samples where there are some (a folder beside the sources), else fixtures that follow the
// tools' documentation. Whole logs are read, broken ones refused with their place.

#include <filesystem>
#include <functional>
#include <set>

#include "base/text_file.hpp"
#include "tests/support/catch.hpp"
#include "validate/import/formats.hpp"
#include "validate/import/measurement.hpp"
#include "validate/import/nccl_run.hpp"

using namespace fabricast;

namespace {

namespace fs = std::filesystem;

const fs::path samples = fs::path(FABRICAST_SOURCE_DIR) / "../shared/samples";
const fs::path fixtures = fs::path(FABRICAST_SOURCE_DIR) / "tests/validate/import";

struct Log {
    std::string file, format, text;
    bool footer = true;  // something is printed behind the last row
};

Log log_at(const fs::path& path, const std::string& format, bool footer = true) {
    return {path.filename().string(), format, read_text(path, 1 << 24), footer};
}

std::vector<Log> real_logs() {
    std::vector<Log> logs;
    const auto add = [&](const char* name, const char* format, bool footer = true) {
        if (fs::exists(samples / name)) { logs.push_back(log_at(samples / name, format, footer)); }
    };
    add("nccl-tests/superbench_nccl_allreduce.log", "nccl-tests");
    add("nccl-tests/superbench_nccl_allgather.log", "nccl-tests");
    add("nccl-tests/xxrjun_pair_N2_G1.log", "nccl-tests");
    add("nvbandwidth/nvbandwidth_results.log", "nvbandwidth");
    add("perftest/ib_loopback_all_sizes.log", "perftest");
    add("perftest/ib_write_bw_roce_oci.txt", "perftest");
    add("osu/osu_alltoall_gpu.txt", "osu", false);
    add("osu/osu_bw_gpu_internode.txt", "osu", false);
    add("osu/osu_bw_mpich.txt", "osu", false);
    return logs;
}

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

std::string refusal(const std::string& text, const std::string& file, const std::string& format = "auto") {
    try {
        import_log(text, file, format);
    } catch (const InputError& error) {
        CHECK(error.place->line >= 1);
        CHECK(error.place->column >= 1);
        CHECK(error.message.find('\n') == std::string::npos);
        return error.what();
    }
    return "";
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

const Log* named(const std::vector<Log>& logs, const std::string& file) {
    for (const Log& log : logs) {
        if (log.file == file) { return &log; }
    }
    report_skip("no sample " + file + " beside the sources");
    return nullptr;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

// Our own small generator: xorshift.
struct Random {
    std::uint64_t state = 88172645463325252ULL;
    std::size_t below(std::size_t n) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        return static_cast<std::size_t>(state % n);
    }
};

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
    Random random;
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

TEST_CASE("nccl-tests: ranks, nodes, version and collective come from the log") {
    const std::vector<Log> logs = real_logs();
    if (const Log* log = named(logs, "xxrjun_pair_N2_G1.log")) {
        const std::vector<Measurement> tables = import_log(log->text, log->file, "auto");
        REQUIRE(tables.size() == 2);
        CHECK(text(tables[0].benchmark, "collective") == "all_to_all");
        CHECK(text(tables[1].benchmark, "collective") == "sendrecv");
        CHECK(text(tables[0].software, "nccl") == "2.28.7");
        CHECK(text(tables[0].system, "nodes") == "2");
        CHECK(text(tables[0].system, "gpus_per_node") == "1");
        CHECK(text(tables[0].system, "gpu") == "NVIDIA H100 80GB HBM3");
        CHECK(tables[1].rows[0][1] == "2513.89");
    }
}

TEST_CASE("nccl-tests: a failed run says in one line what is missing") {
    if (!fs::exists(samples / "nccl-tests/xxrjun_pair_failed.log")) { SKIP_TEST("no samples beside the sources"); }
    const Log log = log_at(samples / "nccl-tests/xxrjun_pair_failed.log", "nccl-tests");
    const std::string said = refusal(log.text, log.file);
    CHECK_THAT(said, ContainsSubstring(":38:1: the log ends within a table"));
    CHECK_THAT(said, ContainsSubstring("0 rows of 10"));
}

TEST_CASE("nccl-tests: figures that contradict each other are refused where they stand") {
    const std::vector<Log> logs = real_logs();
    const Log* log = named(logs, "superbench_nccl_allreduce.log");
    if (log == nullptr) { return; }
    CHECK_THAT(refusal(with(log->text, "8159.5", "8259.5"), log->file), ContainsSubstring("algbw does not follow"));
    CHECK_THAT(refusal(with(log->text, "230.29", "330.29"), log->file), ContainsSubstring("average bus bandwidth"));
    CHECK_THAT(refusal(with(log->text, "Out of bounds values : 0 OK", "Out of bounds values : 3 FAILED"), log->file),
               ContainsSubstring("failed its own check"));
    const std::size_t row = log->text.find("       65536 ");
    std::string shorter = log->text;
    shorter.erase(row, shorter.find('\n', row) + 1 - row);
    CHECK_THAT(refusal(shorter, log->file), ContainsSubstring("rows are missing"));
}

TEST_CASE("nccl-tests: where neither log nor file name says the collective, the user may") {
    const std::vector<Log> logs = real_logs();
    const Log* log = named(logs, "superbench_nccl_allreduce.log");
    if (log == nullptr) { return; }
    CHECK_THAT(refusal(log->text, "run.log"), ContainsSubstring("which collective"));
    const auto said =
        import_log(log->text, "run.log", "auto", {{"benchmark.collective", "all_reduce"}, {"system.nic", "none"}});
    CHECK(text(said.at(0).benchmark, "collective") == "all_reduce");
    CHECK(text(said.at(0).system, "nic") == "none");
    CHECK_THAT(refusal("", "run.log"), ContainsSubstring("empty file"));
    CHECK_THROWS_WITH(import_log(log->text, "run.log", "auto",
                                 {{"benchmark.collective", "all_reduce"}, {"system.netwrk", "InfiniBand HDR"}}),
                      ContainsSubstring("no such key of a measurement's system (found 'netwrk'") &&
                          ContainsSubstring("nearest: 'network'"));
}

TEST_CASE("nccl-tests: sizes that count one rank's part become the whole's") {
    NcclRun run;
    run.collective = "all_gather";
    run.dtype = "float";
    run.ranks = 4;
    run.rows = {{1024, 256, {"10", "0.4", "0.3"}, {}}};
    const LogText log("x\n", "x.log");
    const Measurement m = measurement_of(run, log, {});
    CHECK(m.rows[0][0] == "4096");
    CHECK_THAT(m.notes, ContainsSubstring("one rank's part"));
    run.rows[0].size = 4096;
    CHECK(measurement_of(run, log, {}).rows[0][0] == "4096");
}

TEST_CASE("versions of NCCL are told from its code, which gained two digits with 2.9") {
    CHECK(nccl_version_of_code(22807) == "2.28.7");
    CHECK(nccl_version_of_code(2804) == "2.8.4");
    CHECK(nccl_version_of_code(0).empty());
}

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

TEST_CASE("a run that had to stop at its GPUs' memory is whole when it got that far") {
    // nccl-tests, src/common.cu: sizes double from 33554432 while they are at most the reduced maximum.
    const std::string log =
        "# nThread 1 nGpus 1 minBytes 33554432 maxBytes 68719476736 step: 2(factor) warmup iters: 5 iters: 20\n"
        "#  Rank  0 Group  0 Pid 1 on a device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"
        "#  Rank  1 Group  0 Pid 2 on b device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"
        "# Reducing maxBytes to 80000000 due to memory limitation\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
        "    33554432       4194304    double     sum      -1  1000.00   33.55   33.55      0\n"
        "    67108864       8388608    double     sum      -1  2000.00   33.55   33.55      0\n"
        "# Avg bus bandwidth    : 33.55\n";
    const std::vector<Measurement> tables = import_log(log, "all_reduce.log", "nccl-tests");
    REQUIRE(tables.size() == 1);
    CHECK(tables[0].rows.size() == 2);
    CHECK_THAT(refusal(with(log, "80000000", "140000000"), "all_reduce.log"),
               ContainsSubstring("rows are missing from the table (found 2; accepted: 3"));
}

TEST_CASE("the command line above an nccl-tests table says how its buffers are registered") {
    const auto header = [](const std::string& command) {
        const std::string log = "$ " + command +
                                "\n# nThread 1 nGpus 8 minBytes 1024 maxBytes 1024 step: 2(factor)\n"
                                "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
                                "        1024           256     float     sum      -1   100.0   0.01   0.01      0\n"
                                "# Avg bus bandwidth    : 0.01\n";
        const Measurement table = import_log(log, "all_reduce.log", "nccl-tests").at(0);
        return std::string(text(table.benchmark, "header"));
    };
    CHECK(header("./build/all_reduce_perf -b 1K -e 1K -R 2 -g 8").ends_with(" -R 2"));
    CHECK_FALSE(header("./build/all_reduce_perf -b 1K -e 1K -g 8").ends_with(" -R 2"));
}

TEST_CASE("a blank reduction or root in nccl-tests' table moves no other column") {
    const auto read = [](const std::string& cells) {
        return import_log(
                   "# nThread 1 nGpus 1 minBytes 1024 maxBytes 1024 step: 2(factor)\n"
                   "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
                   "        1024           256     float " +
                       cells + " 100.0   0.01   0.01      0\n# Avg bus bandwidth    : 0.01\n",
                   "broadcast.log", "nccl-tests")
            .at(0);
    };
    for (const char* const cells : {"   none       0 ", "                0 ", "   none         ", "                "}) {
        INFO("'" << cells << "'");
        CHECK(read(cells).rows.at(0).at(1) == "100.0");
    }
    CHECK(text(read("                0 ").benchmark, "redop").empty());
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

TEST_CASE("RCCL's own lines above a table say its release and ROCm's") {
    const std::string log =
        "RCCL version : 2.26.6-HEAD:6ade506\nHIP version  : 7.0.51831-7c9236b16\nROCm version : 7.0.1.0-42-9428210\n"
        "# nThread 1 nGpus 8 minBytes 1024 maxBytes 1024 step: 2(factor)\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
        "        1024           256     float     sum      -1   100.0   0.01   0.01      0\n"
        "# Avg bus bandwidth    : 0.01\n";
    const Measurement table = import_log(log, "all_reduce.log", "nccl-tests").at(0);
    CHECK(text(table.software, "nccl") == "2.26.6");
    CHECK(text(table.software, "cuda") == "ROCm 7.0.1.0");
    const Measurement short_form =
        import_log(with(log, "RCCL version : 2.26.6-HEAD", "RCCL version 2.20.5+hip6.2 HEAD"), "all_reduce.log", "auto")
            .at(0);
    CHECK(text(short_form.software, "nccl") == "2.20.5");
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
