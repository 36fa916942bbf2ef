// fabricast import: a log becomes a measurement file, whole or not at all.

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::test;

namespace {
using fabricast::testing::root;
}

TEST_CASE("import writes a file for each table of a log, which compare then reads") {
    const ScratchFolder scratch("import");
    const std::string out = (scratch.path / "out.yaml").string();
    const Ran json = run_program(
        "import auto tests/validate/import/nccl_tests.json -o " + out + " --set system.network='InfiniBand NDR'", root,
        scratch);
    CHECK(json.code == 0);
    CHECK_THAT(json.out, ContainsSubstring("3 rows"));
    CHECK_THAT(text_of(out), ContainsSubstring("InfiniBand NDR"));
    CHECK(run_program("compare --measured " + out, root, scratch).code == 0);
    const Ran two = run_program("import gdrcopy tests/validate/import/gdrcopy_copylat.txt -o " + out, root, scratch);
    CHECK(two.code == 0);
    CHECK(std::filesystem::exists(scratch.path / "out-to-mapping.yaml"));
    CHECK(std::filesystem::exists(scratch.path / "out-from-mapping.yaml"));
}

TEST_CASE("what import cannot read is refused with its place and exit 2, and nothing is written") {
    const ScratchFolder scratch("import_bad");
    const auto out = scratch.path / "out.yaml";
    const auto refused = [&](const std::string& arguments, const std::string& words) {
        INFO(arguments);
        const Ran ran = run_program(arguments + " -o " + out.string(), root, scratch);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK_THAT(ran.err, ContainsSubstring(words));
        CHECK_FALSE(std::filesystem::exists(out));
    };
    refused("import", "what to import");
    refused("import auto nowhere.log", "nowhere.log:1:1");
    refused("import nccl-test tests/validate/import/nccl_tests.json", "nearest: 'nccl-tests'");
    refused("import auto README.md", "README.md:1:1: no known program wrote this");
    refused("import auto tests/validate/import/nccl_tests.json --set gpu", "KEY=VALUE");
    refused("import auto tests/validate/import/nccl_tests.json --set hardware.gpu=x", "no such section");
    const auto cut =
        scratch.write("cut.txt", text_of(root / "tests/validate/import/bandwidth_test.txt").substr(0, 300));
    refused("import auto " + cut.string(), "cut.txt:");
}

TEST_CASE("files of several collectives are named by whole collectives") {
    const ScratchFolder scratch("import_names");
    const auto run = [](const std::string& collective) {
        return "# Collective test starting: " + collective +
               "_perf\n# nThread 1 nGpus 8 minBytes 1024 maxBytes 1024 step: 2(factor)\n"
               "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
               "        1024           256     float     sum      -1   100.0   0.01   0.01      0\n"
               "# Avg bus bandwidth    : 0.01\n";
    };
    scratch.write("log.txt", run("all_reduce") + run("all_gather"));
    const Ran ran = run_program("import nccl-tests log.txt -o out.yaml", scratch.path, scratch);
    CHECK(ran.code == 0);
    CHECK(std::filesystem::exists(scratch.path / "out-all-reduce.yaml"));
    CHECK(std::filesystem::exists(scratch.path / "out-all-gather.yaml"));
}
