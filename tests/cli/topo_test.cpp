// fabricast topo: what it prints, what it writes, and what it refuses.

#include <fstream>
#include <sstream>

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::test;

namespace {

using fabricast::testing::root;

std::string read(const std::filesystem::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("topo counts switches and cables, and shows a path and the bisection") {
    const ScratchFolder scratch("topo");
    const Ran ran =
        run_program("topo scenarios/dgx-h100-128-rail.yaml --bisection --path node0.gpu0 node40.gpu0", root, scratch);
    CHECK(ran.code == 0);
    // 1,024 GPUs: 32 leaves, 16 spines, 1,024 cables a tier (the reference architecture of four scalable units).
    CHECK_THAT(ran.out, ContainsSubstring("128 nodes of dgx-h100, 1024 GPUs") && ContainsSubstring("in all    48") &&
                            ContainsSubstring("2048"));
    CHECK_THAT(ran.out, ContainsSubstring("node0.nic0 -> leaf0 ") && ContainsSubstring("leaf8 -> node40.nic0 ") &&
                            ContainsSubstring("narrowest, and latency in all"));
    CHECK_THAT(ran.out, ContainsSubstring("bisection  2"));
}

TEST_CASE("topo writes the graph for other programs, whole or not at all") {
    const ScratchFolder scratch("topo_files");
    const auto file = [&](const char* name) { return (scratch.path / name).string(); };
    const Ran ran = run_program("topo scenarios/dgx-a100-16-hdr.yaml --dot " + file("a.dot") + " --graphml " +
                                    file("a.graphml") + " --simgrid " + file("a.xml"),
                                root, scratch);
    CHECK(ran.code == 0);
    CHECK_THAT(read(file("a.dot")), ContainsSubstring("\"node15.gpu7\""));
    CHECK_THAT(read(file("a.graphml")), ContainsSubstring("</graphml>"));
    CHECK_THAT(read(file("a.xml")), ContainsSubstring("</platform>"));
    const Ran large = run_program(
        "topo scenarios/dgx-h100-128-rail.yaml --set cluster.nodes=512 --simgrid " + file("b.xml"), root, scratch);
    CHECK(large.code == 2);
    CHECK(large.out.empty());
    CHECK(!std::filesystem::exists(file("b.xml")));
}

TEST_CASE("topo refuses devices, transports and shapes that are not there") {
    const ScratchFolder scratch("topo_bad");
    for (const auto& [arguments, word] : std::vector<std::pair<std::string, std::string>>{
             {"--path node0.gpu0", "two devices"},
             {"--path node0.gpu0 node0.gpu8", "did you mean 'node0.gpu"},
             {"--path node0.gpu0 node0.gpu1 --transport nvlnk", "nearest: 'nvlink'"},
             {"--path leaf0.port99 node0.gpu1", "port0 to port"},
             {"--set cluster.fabric.kind=torus --set cluster.fabric.shape=[3]", "dgx-h100-128-rail.yaml:"},
             {"--set cluster.nodes=100 --set cluster.fabric.kind=single-switch", "64 ports cannot take 800 cables"}}) {
        INFO(arguments);
        const Ran ran = run_program("topo scenarios/dgx-h100-128-rail.yaml " + arguments, root, scratch);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK_THAT(ran.first_error_line(), ContainsSubstring(word));
    }
}

TEST_CASE("topo says what joins the GPUs of a node without a switch between them") {
    const ScratchFolder scratch("topo_mesh");
    const auto node = [&](const std::string& name) {
        scratch.write("n.yaml", "name: n\ncluster: {node: " + name + "}\nworkload: {kind: collective}\n");
        const Ran ran = run_program("topo n.yaml", scratch.path, scratch);
        const std::size_t at = ran.out.find("\nnode ");
        return ran.out.substr(at + 1, ran.out.find('\n', at + 1) - at - 1);
    };
    CHECK_THAT(node("mi300x-8x"), ContainsSubstring(", mesh of xgmi-3") && !ContainsSubstring("NVLink"));
    CHECK_THAT(node("h100-pcie-2x"), ContainsSubstring(", NVLink bridge"));
    CHECK_THAT(node("a100-mesh-4x"), ContainsSubstring(", NVLink mesh"));
}
