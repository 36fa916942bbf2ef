// A node template is one file: this one lies in a folder of the user's.

#include <filesystem>
#include <fstream>

#include "sim/scenario/build.hpp"
#include "tests/support/catch.hpp"
#include "topologies/catalog_folder.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {
namespace {

constexpr const char* toy = R"(name: toy-node
note: Two GPUs and an adapter behind one PCIe switch.
gpu: a100-pcie-40
gpus: 2
cpu: epyc-rome
nic: connectx-6
nics: 1
port: infiniband-hdr
devices:
  - {name: cpu0}
  - {name: switch0, part: pex-88000}
cables:
  - {from: cpu0, to: switch0, link: pcie-gen4-x16}
  - {from: gpu0-1, to: switch0, link: pcie-gen4-x16}
  - {from: nic0, to: switch0, link: pcie-gen4-x16}
)";

TEST_CASE("a node template in a user's folder builds and has its paths") {
    const auto folder = std::filesystem::temp_directory_path() / "fabricast_toy_node_test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "toy-node.yaml") << toy;
    const Catalog catalog = read_catalog(folder);
    std::filesystem::remove_all(folder);
    CHECK(catalog.at("node", "toy-node").note == "Two GPUs and an adapter behind one PCIe switch.");
    Scenario scenario;
    scenario.cluster.node = "toy-node";
    scenario.cluster.nodes = 2;
    const Fabric fabric(build(scenario, catalog));
    CHECK(fabric.gpu_count() == 4);
    CHECK(fabric.nics_per_node() == 1);
    // GPU, PCIe switch, NIC, leaf, NIC, PCIe switch, GPU.
    CHECK(fabric.path({.src = fabric.gpu(0), .dst = fabric.gpu(3)}).count == 6);
}

}  // namespace
}  // namespace fabricast
