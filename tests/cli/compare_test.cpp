// fabricast compare: a measurement beside its forecast, and what it refuses.

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::test;

namespace {

using fabricast::testing::root;
const std::string measured = "compare --measured validate/measurements/nccl/dgxc-h100-1n8g-allreduce.yaml";

}  // namespace

TEST_CASE("compare needs no scenario: the file's words say what to forecast") {
    const ScratchFolder scratch("compare");
    const auto json = scratch.path / "out.json";
    const auto drawing = scratch.path / "out.svg";
    const Ran ran = run_program(measured + " --json " + json.string() + " --svg " + drawing.string(), root, scratch);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("is a dgx-h100"));
    CHECK_THAT(ran.out, ContainsSubstring("error by regime"));
    CHECK_THAT(text_of(json), ContainsSubstring("\"measured_s\""));
    CHECK_THAT(text_of(drawing), ContainsSubstring("</svg>"));
}

TEST_CASE("a scenario takes the place of the file's words") {
    const ScratchFolder scratch("compare_scenario");
    const Ran ran = run_program(measured + " scenarios/dgx-h100-ring.yaml", root, scratch);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("as the scenario says"));
    CHECK(ran.out.find("nvls") == std::string::npos);
}

TEST_CASE("what compare cannot do is refused with the file and exit 2, and nothing is written") {
    const ScratchFolder scratch("compare_bad");
    const auto json = scratch.path / "out.json";
    const auto refused = [&](const std::string& arguments, const std::string& words) {
        INFO(arguments);
        const Ran ran = run_program(arguments + " --json " + json.string(), root, scratch);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK_THAT(ran.err, ContainsSubstring(words));
        CHECK_FALSE(std::filesystem::exists(json));
    };
    refused("compare", "which measurement?");
    refused("compare --measured nowhere.yaml", "nowhere.yaml:1:1");
    refused("compare --measured validate/measurements/nccl/mleng-h200-nvls-vs-ring-8GiB.yaml", "not a size curve");
    refused("compare --measured validate/measurements/nccl/mleng-h200-collectives-16GiB.yaml", "'several'");
    refused(measured + " --set workload.algorithm=ring", "none is given");
    refused(measured + " scenarios/dgx-a100-16-hdr.yaml", "128");
    const auto contradiction = scratch.write(
        "contradiction.yaml",
        "id: x\nsource: {url: here}\nkind: nccl\nsystem: {gpu: \"NVIDIA B200\", gpus_per_node: 8, nodes: 3}\n"
        "benchmark: {collective: all_reduce, ranks: 16}\ncolumns: [size_bytes, time_us]\nrows:\n  - [8, 1]\n");
    refused("compare --measured " + contradiction.string(), "ranks that do not divide over the nodes");
}

TEST_CASE("compare and calibrate refuse a scenario that is no collective, at its kind") {
    const ScratchFolder scratch("compare_kind");
    const auto transfer = scratch.write("t.yaml",
                                        "name: t\ncluster: {node: dgx-h100}\nworkload:\n  kind: transfer\n  from: "
                                        "node0.gpu0\n  to: node0.gpu1\n  sizes: [8 B]\n");
    const std::string file = " validate/measurements/nccl/dgxc-h100-1n8g-allreduce.yaml ";
    const std::string words = "t.yaml:4:9: a measured curve is of a collective (found transfer; accepted: collective)";
    const Ran compared = run_program("compare" + file + transfer.string(), root, scratch);
    CHECK(compared.code == 2);
    CHECK_THAT(compared.err, ContainsSubstring(words));
    const auto overlay = scratch.path / "q.yaml";
    const Ran fitted =
        run_program("calibrate" + file + "--scenario " + transfer.string() + " -o " + overlay.string(), root, scratch);
    CHECK(fitted.code == 2);
    CHECK_THAT(fitted.err, ContainsSubstring(words));
}

TEST_CASE("calibrate refuses changes of no scenario, and the same measurement twice") {
    const ScratchFolder scratch("calibrate_bad");
    const std::string file = root.string() + "/validate/measurements/nccl/dgxc-h100-1n8g-allreduce.yaml";
    std::string copy = text_of(file);
    const auto overlay = scratch.path / "q.yaml";
    const auto refused = [&](const std::string& arguments, const std::string& words) {
        INFO(arguments);
        const Ran ran = run_program("calibrate " + file + " " + arguments + " -o " + overlay.string(), root, scratch);
        CHECK(ran.code == 2);
        CHECK_THAT(ran.err, ContainsSubstring(words));
        CHECK_FALSE(std::filesystem::exists(overlay));
    };
    refused("--set nonsense=1", "none is given");
    refused("--engine flow", "none is given");
    refused(file, "(found dgxc-h100-1n8g-allreduce; accepted: each measurement once; " + file + " has");
    const std::string id = "dgxc-h100-1n8g-allreduce";
    copy.replace(copy.find(id), id.size(), "another-name");
    refused(scratch.write("copy.yaml", copy).string(), "copy.yaml:1:1: the same rows as another measurement");
    copy.replace(copy.find("another-name"), 12, id);
    copy.replace(copy.find("13.03"), 5, "13.02");
    refused(scratch.write("other.yaml", copy).string(), "other.yaml:1:1: another measurement has this id");
}

TEST_CASE("Ctrl-C ends calibrate, and nothing is written") {
    const ScratchFolder scratch("calibrate_stopped");
    const auto overlay = scratch.path / "q.yaml";
    Process process("calibrate validate/measurements/nccl/crusoe-h100-2n8g-allreduce.yaml -o " + overlay.string(),
                    root);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the fit takes seconds
    CHECK(process.end(SIGINT) == 130);
    CHECK_FALSE(std::filesystem::exists(overlay));
}

TEST_CASE("compare and calibrate take a measurement by itself or behind --measured") {
    const ScratchFolder scratch("measured");
    const std::string file = " validate/measurements/nccl/dgxc-h100-1n8g-allreduce.yaml ";
    const Ran named = run_program("compare --measured" + file, root, scratch);
    CHECK(named.code == 0);
    CHECK(run_program("compare" + file, root, scratch).out == named.out);
    CHECK(run_program("compare" + file + "scenarios/dgx-h100-ring.yaml", root, scratch).out ==
          run_program("compare --measured" + file + "scenarios/dgx-h100-ring.yaml", root, scratch).out);
    const std::string only = "--only nccl-kernels-hopper-nvswitch-2.18/ring.start -o ";
    const Ran refused = run_program("calibrate --measured" + file + only + scratch.path.string(), root, scratch);
    CHECK_THAT(refused.err, ContainsSubstring("it is a folder"));  // and not "which measurements?"
}
