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
