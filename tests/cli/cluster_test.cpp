// fabricast cluster: files out of a scenario, and a scenario out of the files; exit codes.

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::test;

namespace {

using fabricast::testing::root;

// What NCCL and ibnetdiscover would say of a scenario's cluster.
void export_files(const ScratchFolder& scratch) {
    const std::string folder = scratch.path.string();
    const Ran ran = run_program("topo scenarios/dgx-h100-allreduce.yaml --nccl " + folder +
                                    "/node.xml --ibnetdiscover " + folder + "/ib.out --links " + folder + "/plan.csv",
                                root, scratch);
    REQUIRE(ran.code == 0);
}

// The first row's value of a column.
std::string cell(const std::string& csv, const std::string& column) {
    std::istringstream lines(csv);
    std::string names, values;
    std::getline(lines, names);
    std::getline(lines, values);
    std::istringstream name(names), value(values);
    for (std::string one, own; std::getline(name, one, ',') && std::getline(value, own, ',');) {
        if (one == column) { return own; }
    }
    return "no column " + column + " in " + names;
}

}  // namespace

TEST_CASE("cluster writes a scenario that run takes, with the same answer") {
    const ScratchFolder scratch("cluster");
    export_files(scratch);
    const Ran made = run_program("cluster ib.out node.xml -o mine.yaml --check", scratch.path, scratch);
    CHECK(made.code == 0);
    CHECK_THAT(made.out, ContainsSubstring("nothing looks wrong"));
    CHECK_THAT(text_of(scratch.path / "mine.yaml"), ContainsSubstring("gpu: h100-sxm  # fact: PCI id 10de:2330"));
    const std::string sizes = " --set workload.sizes='[64 MiB]' --csv -";
    const Ran ours = run_program("run mine.yaml" + sizes, scratch.path, scratch);
    const Ran theirs = run_program("run scenarios/dgx-h100-allreduce.yaml" + sizes, root, scratch);
    CHECK(ours.code == 0);
    CHECK(cell(ours.out, "busbw_Bps") == cell(theirs.out, "busbw_Bps"));
    CHECK(run_program("topo mine.yaml", scratch.path, scratch).code == 0);
}

TEST_CASE("cluster --check exits with 1 for a GPU without NVLinks, and names what that costs") {
    const ScratchFolder scratch("cluster_check");
    export_files(scratch);
    std::string text = text_of(scratch.path / "node.xml");
    const std::size_t link = text.find("<nvlink", text.find("<gpu dev=\"3\""));
    text.erase(link, text.find("/>", link) + 2 - link);
    scratch.write("faulty.xml", text);
    const Ran ran = run_program("cluster faulty.xml --check -o faulty.yaml", scratch.path, scratch);
    CHECK(ran.code == 1);
    CHECK_THAT(ran.out, ContainsSubstring("gpu3: 0 NVLinks, its peers have 18 (fact, faulty.xml:"));
    CHECK_THAT(ran.out, ContainsSubstring("costs all_reduce at 1 GiB: "));
    CHECK(run_program("run faulty.yaml", scratch.path, scratch).code == 0);
}

TEST_CASE("cluster reads 400 switches and 2,880 adapters in 200 MiB, and draws them with a subnet manager's tables") {
    const ScratchFolder scratch("cluster_large");
    const Ran wrote = run_program(
        "topo scenarios/dgx-h100-allreduce.yaml --set cluster.nodes=360 --set "
        "cluster.fabric='{kind: fat-tree, switch: switch-ib-2, link: infiniband-edr, tiers: "
        "3}' --ibnetdiscover " +
            scratch.path.string() + "/ib.out",
        root, scratch);
    REQUIRE(wrote.code == 0);
    if (!fabricast::testing::sanitized) {  // which maps far more than its program needs
        scratch.write("limited.sh", "ulimit -v 204800\nexec \"$@\"\n");
        const std::string command = "cd '" + scratch.path.string() +
                                    "' && sh limited.sh '" FABRICAST_PROGRAM
                                    "' cluster ib.out --node dgx-h100 --check >out.txt";
        CHECK(WEXITSTATUS(std::system(command.c_str())) == 0);
        CHECK_THAT(text_of(scratch.path / "out.txt"),
                   ContainsSubstring("360 nodes of dgx-h100, 8640 cables; fabric: fat-tree"));
    }
    const Ran drawn =
        run_program("cluster ib.out --node dgx-h100 --routing min-hop -o drawn.yaml", scratch.path, scratch);
    CHECK(drawn.code == 0);
    CHECK_THAT(drawn.out, ContainsSubstring("fabric: explicit"));
    CHECK_THAT(text_of(scratch.path / "drawn.yaml"), ContainsSubstring("routing: min-hop"));
    CHECK(run_program("run drawn.yaml --set workload.sizes='[1 MiB]'", scratch.path, scratch).code == 0);
    CHECK(run_program("cluster ib.out --node dgx-h100 --routing shortest", scratch.path, scratch).code == 2);
}

TEST_CASE("cluster refuses a file of no known kind at its place, and writes nothing") {
    const ScratchFolder scratch("cluster_bad");
    scratch.write("letter.txt", "Dear Sir,\n");
    const Ran ran = run_program("cluster letter.txt -o out.yaml", scratch.path, scratch);
    CHECK(ran.code == 2);
    CHECK_THAT(ran.first_error_line(), ContainsSubstring("letter.txt:1:1: no kind of file that is known"));
    CHECK(!std::filesystem::exists(scratch.path / "out.yaml"));
    CHECK(run_program("cluster", scratch.path, scratch).code == 2);
}
