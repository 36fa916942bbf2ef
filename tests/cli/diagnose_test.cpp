// fabricast diagnose: the three answers, and what it refuses.

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::test;

namespace {
using fabricast::testing::root;
const std::string nccl = "validate/measurements/nccl/";
}  // namespace

TEST_CASE("diagnose says that a healthy log is fine, and shows each size with its residual") {
    const ScratchFolder scratch("diagnose");
    const auto json = scratch.path / "out.json";
    const Ran ran =
        run_program("diagnose " + nccl + "dgxc-h100-1n8g-allreduce.yaml --json " + json.string(), root, scratch);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("nothing wrong"));
    CHECK_THAT(ran.out, ContainsSubstring("residual"));
    CHECK_THAT(text_of(json), ContainsSubstring("\"verdict\": \"nothing wrong\""));
}

TEST_CASE("diagnose takes the node, or a scenario's cluster, from the user") {
    const ScratchFolder scratch("diagnose_node");
    const std::string log = "diagnose tests/validate/import/nccl_tests.json";
    CHECK(run_program(log + " --node dgx-h100 --set system.network='InfiniBand NDR'", root, scratch).code == 0);
    CHECK(run_program("diagnose " + nccl + "dgxc-h100-1n8g-allreduce.yaml --cluster scenarios/dgx-h100-ring.yaml", root,
                      scratch)
              .code == 0);
}

TEST_CASE("diagnose takes the workload from the log, whatever the scenario runs on its cluster") {
    const ScratchFolder scratch("diagnose_kind");
    const std::string log = "diagnose " + nccl + "dgxc-h100-1n8g-allreduce.yaml --cluster ";
    const std::string cluster = "name: c\ncluster: {node: dgx-h100}\n";
    const auto transfer = scratch.write(
        "t.yaml", cluster + "workload: {kind: transfer, from: node0.gpu0, to: node0.gpu1, sizes: [8 B]}\n");
    const auto collective =
        scratch.write("c.yaml", cluster + "workload: {kind: collective, collective: all_gather, sizes: [8 B]}\n");
    const Ran of_transfer = run_program(log + transfer.string(), root, scratch);
    CHECK(of_transfer.code == 0);
    const Ran of_collective = run_program(log + collective.string(), root, scratch);
    CHECK(of_transfer.out.substr(of_transfer.out.find("residual")) ==
          of_collective.out.substr(of_collective.out.find("residual")));
}

TEST_CASE("what diagnose cannot read is refused with its place and exit 2") {
    const ScratchFolder scratch("diagnose_bad");
    const auto json = scratch.path / "out.json";
    const auto refused = [&](const std::string& arguments, const std::string& words) {
        INFO(arguments);
        const Ran ran = run_program("diagnose " + arguments + " --json " + json.string(), root, scratch);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK_THAT(ran.err, ContainsSubstring(words));
        CHECK_FALSE(std::filesystem::exists(json));
    };
    refused("", "which log?");
    refused("nowhere.log", "nowhere.log:1:1");
    refused("tests/validate/import/ib_write_lat.txt", "only logs of collectives and");
    refused(nccl + "dgxc-h100-1n8g-allreduce.yaml --node dgx-h1000", "dgx-h100");
    refused(nccl + "dgxc-h100-1n8g-allreduce.yaml --cluster scenarios/dgx-a100-16-hdr.yaml", "another number of ranks");
    refused(nccl + "dgxc-h100-1n8g-allreduce.yaml --node dgx-h100 --cluster scenarios/dgx-h100-ring.yaml", "give one");
}
