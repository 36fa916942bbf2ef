// fabricast cluster: files out of a scenario, and a scenario out of the files; exit codes.

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::test;

namespace {

using fabricast::testing::root;

// What NCCL and ibnetdiscover would say of a scenario's cluster.
void export_files(const ScratchFolder& scratch, const std::string& set = {}) {
    const std::string folder = scratch.path.string();
    const Ran ran = run_program("topo scenarios/dgx-h100-allreduce.yaml" + set + " --nccl " + folder +
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
    const Ran twice = run_program("cluster node.xml ./node.xml", scratch.path, scratch);
    CHECK_THAT(twice.out, ContainsSubstring("1 node of 8 x h100-sxm"));
}

TEST_CASE("what is stated against a file is a finding") {
    const ScratchFolder scratch("cluster_stated");
    export_files(scratch);
    const auto found = [&](const std::string& stated) {
        return run_program("cluster ib.out node.xml --check " + stated, scratch.path, scratch);
    };
    const Ran node = found("--node dgx-2");
    CHECK(node.code == 1);
    CHECK_THAT(node.out, ContainsSubstring("`--node dgx-2` has 16 x") &&
                             ContainsSubstring("but the file says 8 x h100-sxm (PCI id 10de:2330)"));
    const Ran gpu = found("--gpu b200");
    CHECK(gpu.code == 1);
    CHECK_THAT(gpu.out, ContainsSubstring("`--gpu b200` is stated, but the file says h100-sxm"));
    CHECK(found("--node dgx-h100 --gpu h100-sxm").code == 0);
    CHECK(found("--gpu h100-sxm").code == 0);
}

TEST_CASE("compare, diagnose, study, explain and topo say of a cluster from files what they say of its template") {
    const ScratchFolder scratch("cluster_commands");
    export_files(scratch, " --set cluster.nodes=2");
    REQUIRE(run_program("cluster ib.out node.xml -o mine.yaml", scratch.path, scratch).code == 0);
    std::filesystem::create_directories(scratch.path / "template");
    scratch.write("template/mine.yaml",
                  "name: mine\ncluster: {node: dgx-h100, nodes: 2, fabric: {kind: single-switch}}\nworkload: {kind: "
                  "collective, collective: all_reduce, sizes: {from: 1 MiB, to: 1 GiB, factor: 4}}\n");
    const std::string log = root.string() + "/validate/measurements/nccl/crusoe-h100-2n8g-allreduce.yaml";
    // The name of the node stands in the first line; a design's price depends on who sells it.
    const auto without_name = [](const std::string& out) {
        return out.substr(out.find('\n'), out.find("IT power") - out.find('\n'));
    };
    const auto same = [&](const std::string& command, const std::string& words) {
        INFO(command);
        const Ran ours = run_program(command, scratch.path, scratch);
        const Ran theirs = run_program(command, scratch.path / "template", scratch);
        CHECK(ours.code == 0);
        CHECK_THAT(ours.out, ContainsSubstring(words));
        CHECK(without_name(ours.out) == without_name(theirs.out));
    };
    same("compare " + log + " mine.yaml", "error by regime");
    same("diagnose " + log + " --cluster mine.yaml", "residual");
    same("explain mine.yaml", "NVLink twice as fast");
    same("study mine.yaml --draws 10", "bus bandwidth");
    same("topo mine.yaml", "single-switch, infiniband-ndr");
    same("topo mine.yaml --path node0.gpu3 node1.gpu3", "leaf0 -> node1.nic3");
    same("topo mine.yaml --bisection", "bisection");
}

TEST_CASE("the routing of a drawn fabric is told, and the order that suits a job best is written and read again") {
    const ScratchFolder scratch("cluster_order");
    export_files(scratch, " --set cluster.nodes=48 --set cluster.fabric='{kind: fat-tree}'");
    for (const std::string routing : {"ecmp", "min-hop", "up-down", "fat-tree"}) {
        const Ran made = run_program("cluster ib.out --node dgx-h100 --routing " + routing + " -o drawn.yaml",
                                     scratch.path, scratch);
        CHECK_THAT(made.out, ContainsSubstring("fabric: explicit, routing " + routing + "\n"));
        CHECK_THAT(run_program("topo drawn.yaml", scratch.path, scratch).out,
                   ContainsSubstring("fabric     explicit, routing " + routing + "\n"));
    }
    const std::string job = "place drawn.yaml --set workload.sizes='[64 MiB]' --set cluster.fabric.routing=ecmp ";
    const Ran asked = run_program(job + "--nodes 'node[0,8,1,9]' --rank-order order.txt", scratch.path, scratch);
    CHECK(asked.code == 0);
    CHECK(text_of(scratch.path / "order.txt") == "node0\nnode1\nnode8\nnode9\n");
    const Ran ordered = run_program(job + "--rank-file order.txt", scratch.path, scratch);
    const auto time_of = [](const std::string& out, const std::string& row) {
        const std::size_t at = out.find("  " + row);
        return out.substr(at, out.find(" us", at) - at).substr(29);
    };
    CHECK(time_of(asked.out, "these nodes, best order") == time_of(ordered.out, "as asked"));
    CHECK(time_of(asked.out, "as asked") != time_of(ordered.out, "as asked"));
}

TEST_CASE("a switch's own configuration is read without a host, and held against what its neighbours saw") {
    const ScratchFolder scratch("cluster_switches");
    scratch.write("spine1.json", R"({"DEVICE_METADATA": {"localhost": {"hostname": "spine1"}},
        "PORT": {"Ethernet0": {"speed": "400000", "description": "leaf1:Ethernet48"},
                 "Ethernet8": {"speed": "400000", "description": "leaf2:Ethernet48"}}})");
    const Ran alone = run_program("cluster spine1.json --check", scratch.path, scratch);
    CHECK(alone.code == 0);
    CHECK_THAT(alone.out, ContainsSubstring("3 switches, 2 cables; no scenario"));
    CHECK_THAT(alone.out, ContainsSubstring("2 neighbours are named by descriptions of ports only"));
    const Ran refused = run_program("cluster spine1.json -o mine.yaml", scratch.path, scratch);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.first_error_line(), ContainsSubstring("no host: 3 switches are known"));
    // The cable to leaf2 ends at leaf3.
    scratch.write("found.json", R"([{"source_guid": "0x1", "source_port": "Ethernet0", "source_port_node_description":
        "spine1", "destination_guid": "0x2", "destination_port": "Ethernet48", "destination_port_node_description":
        "leaf1"}, {"source_guid": "0x1", "source_port": "Ethernet8", "source_port_node_description": "spine1",
        "destination_guid": "0x3", "destination_port": "Ethernet48", "destination_port_node_description": "leaf3"}])");
    const Ran both = run_program("cluster spine1.json found.json --check", scratch.path, scratch);
    INFO(both.out << both.err);
    CHECK(both.code == 1);
    CHECK_THAT(both.out, ContainsSubstring("miswired: found is"));
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
