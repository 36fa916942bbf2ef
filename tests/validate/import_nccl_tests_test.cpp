// What nccl-tests' logs say, and what is refused of them.

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/validate/logs.hpp"
#include "validate/import/formats.hpp"
#include "validate/import/measurement.hpp"
#include "validate/import/nccl_run.hpp"

using namespace fabricast;
using namespace fabricast::test;

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

namespace {

// Eight GPUs of one process, whose busbw is 2 * 7 / 8 of algbw; `listed` of them are listed.
std::string run_of_eight(int listed, const std::string& busbw = "61.17") {
    std::string log = "# nThread 1 nGpus 8 minBytes 1048576 maxBytes 1048576 step: 2(factor)\n";
    for (int rank = 0; rank < listed; ++rank) {
        const std::string n = std::to_string(rank);
        log += "#  Rank  " + n + " Group  0 Pid 1 on a device  " + n + " [0000:1b:00] NVIDIA H100 80GB HBM3\n";
    }
    return log +
           "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
           "     1048576        262144     float     sum      -1    30.00   34.95   " +
           busbw + "      0\n# Avg bus bandwidth    : " + busbw + "\n";
}

}  // namespace

TEST_CASE("nccl-tests: a busbw that the listed ranks cannot have is refused, and says which ranks have it") {
    const std::string file = "all_reduce.log";
    CHECK(text(import_log(run_of_eight(8), file, "auto").at(0).benchmark, "ranks") == "8");
    CHECK_THAT(refusal(run_of_eight(2), file),
               ContainsSubstring("all_reduce.log:5:1: busbw / algbw of all_reduce is not that of the ranks listed "
                                 "(found about 1.750: 8 ranks have it; accepted: 1.000, as 2 ranks have it"));
    CHECK_THAT(refusal(run_of_eight(8, "34.95"), file), ContainsSubstring("found about 1.000: 2 ranks have it"));
    CHECK_THAT(refusal(run_of_eight(8, "99.99"), file), ContainsSubstring("no number of ranks has it"));
    CHECK_THAT(refusal(run_of_eight(8), "broadcast.log"), ContainsSubstring("accepted: 1.000, as 8 ranks"));
    // Two digits of a small rate tell nothing.
    const std::string small = with(with(run_of_eight(8, "0.03"), "34.95", " 0.02"), "   30.00", "50000.00");
    CHECK(import_log(small, file, "auto").at(0).rows.size() == 1);
    const auto stated = import_log(run_of_eight(2), file, "auto", {{"benchmark.ranks", "8"}});
    CHECK(text(stated.at(0).benchmark, "ranks") == "8");
    CHECK(text(stated.at(0).system, "gpus_per_node") == "8");
}

TEST_CASE("nccl-tests: a list of fewer ranks than the options ask for is refused where no ratio tells") {
    CHECK_THAT(refusal(run_of_eight(2, "34.95"), "broadcast.log"),
               ContainsSubstring("ranks are missing from the log's list (found 2 ranks; accepted: a multiple of "
                                 "nThread x nGpus = 8"));
}

TEST_CASE("nccl-tests: a byte order mark hides no line of a log") {
    const std::string mark = "\xEF\xBB\xBF";
    const auto header = [](const std::string& log) {
        return std::string(text(import_log(log, "all_reduce.log", "auto").at(0).benchmark, "header"));
    };
    CHECK(header(mark + run_of_eight(8)) == header(run_of_eight(8)));
    CHECK_FALSE(header(run_of_eight(8)).empty());
    CHECK_THAT(refusal(mark, "all_reduce.log"), ContainsSubstring("an empty file"));
}
