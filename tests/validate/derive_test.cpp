// Which machine a measurement is forecast on: its GPUs, their links, hosts and nodes.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/validate/derived.hpp"
#include "validate/curves/derive_node.hpp"
#include "validate/import/alias.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("GPUs are known under the names people give them") {
    for (const std::string name : {"NVIDIA H100 80GB HBM3", "H100-SXM5-80GB", "NVIDIA H100 SXM", "H100"}) {
        CHECK(node(name) == "dgx-h100");
    }
    CHECK(node("NVIDIA H200") == "dgx-h200");
    CHECK(node("H200 141GB HBM3e") == "dgx-h200");
    CHECK(node("NVIDIA B200") == "dgx-b200");
    CHECK(node("NVIDIA A100-SXM4-40GB") == "dgx-a100");
    CHECK(node("A100 80GB") == "dgx-a100");
    CHECK(node("NVIDIA A100-PCIE-40GB") == "a100-pcie-8x");
    CHECK(node("Tesla V100-SXM2-32GB") == "dgx-v100");
    CHECK(node("NVIDIA GeForce RTX 4090") == "rtx4090-8x");
    CHECK(node("NVIDIA L40S", "gpus_per_node: 2, nodes: 1") == "l40s-2x");
    CHECK(node("NVIDIA L40S", "gpus_per_node: 8, nodes: 1") == "l40s-8x");
    CHECK(node("NVIDIA B300 SXM6 AC") == "dgx-b300");
    CHECK(node("NVIDIA GH200", "gpus_per_node: 1, nodes: 1") == "gh200-1x");
    CHECK(node("NVIDIA GH200", "gpus_per_node: 1, nodes: 1, intra: \"4-way node, NVLink4 all-to-all\"") == "gh200-4x");
    CHECK(node("NVIDIA GB200", "gpus_per_node: 4, nodes: 1") == "gb200-tray-4x");
    CHECK(node("NVIDIA GB200", "gpus_per_node: 72, nodes: 1") == "gb200-nvl72");
}

TEST_CASE("a GPU that no alias names is assumed, said, and widens the interval") {
    const Derived known = derived({"{gpu: \"NVIDIA B200\", gpus_per_node: 8, nodes: 1}"});
    CHECK(known.spread == 1);
    const Derived near = derived({"{gpu: \"NVIDIA B201\", gpus_per_node: 8, nodes: 1}"});
    CHECK(near.scenario.cluster.node == "dgx-b200");
    CHECK(near.spread > 1.1);
    const auto says = [](const Derived& d, const char* words) {
        return std::ranges::any_of(d.assumptions,
                                   [&](const std::string& a) { return a.find(words) != std::string::npos; });
    };
    CHECK(says(near, "gpu: b200, from"));
    const Derived by_slot = derived({"{gpu: \"Zebra 9\", gpus_per_node: 4, nodes: 1, intra: \"PCIe gen5 x16\"}"});
    CHECK(says(by_slot, "taken for an RTX PRO 6000"));
    CHECK(by_slot.spread > near.spread);
    CHECK(derived({"{gpus_per_node: 8, nodes: 1}"}).spread > 1.5);
    CHECK(node("AMD MI300X") == "mi300x-8x");
}

TEST_CASE("a machine without a template is a box built of what the file says") {
    const auto box = [](const std::string& system) { return derived({"{" + system + "}"}).scenario.cluster; };
    const ClusterRequest cards =
        box("gpu: RTX 5090, gpus_per_node: 6, nodes: 1, intra: PCIe gen4 x8, cpu: AMD EPYC 9554");
    REQUIRE(cards.node_parts);
    CHECK(cards.node == "6x-rtx-5090-pcie");
    const yaml::Node& gpus = cards.node_parts->required("gpus");
    CHECK(gpus.required("slot").text == "pcie-gen4-x8");
    CHECK(cards.node_parts->required("cpus").required("part").text == "epyc-genoa");
    CHECK(box("gpu: NVIDIA H20, gpus_per_node: 8, nodes: 1").node == "8x-h20-nvswitch");
    CHECK(box("gpu: NVIDIA H100 NVL, gpus_per_node: 4, nodes: 1").node == "4x-h100-nvl-bridges");
    CHECK(box("gpu: NVIDIA H100 NVL, gpus_per_node: 3, nodes: 1").node == "3x-h100-nvl-pcie");
    CHECK(box("gpu: H200 NVL, gpus_per_node: 8, nodes: 1, intra: 4-way NVLink bridge")
              .node_parts->required("gpus")
              .required("group")
              .text == "4");
    CHECK(box("gpu: Tesla K80, gpus_per_node: 8, nodes: 1, intra: PCIe gen3").node == "8x-v100-pcie-pcie");
    CHECK(box("gpu: VR200, gpus_per_node: 4, nodes: 18").node == "72x-rubin-nvswitch");
    CHECK(box("gpu: MI325X, gpus_per_node: 8, gpus_used: 2, nodes: 1").node == "8x-mi325x-mesh");
    CHECK(box("gpus_per_node: 8, nodes: 1, network: AWS g5.48xlarge").node == "8x-a10g-pcie");
}

TEST_CASE("two factors of what is assumed widen as variances add up") {
    CHECK(both_spreads(1, 1.5) == Approx(1.5));
    CHECK(std::log(both_spreads(1.3, 1.3)) == Approx(std::sqrt(2.0) * std::log(1.3)));
}

TEST_CASE("how the GPUs are joined comes from the file, else from the usual board") {
    CHECK(node("NVIDIA A100-SXM4-40GB", "gpus_per_node: 4, nodes: 1, intra: \"NVLink3 direct all-to-all\"") ==
          "a100-mesh-4x");
    CHECK(node("NVIDIA A100-SXM4-40GB", "gpus_per_node: 4, nodes: 1, intra: \"NVLink3 + NVSwitch\"") == "dgx-a100");
    CHECK(node("NVIDIA H100 SXM", "gpus_per_node: 4, nodes: 1, intra: \"4x H100 SXM, NVLink4 (4-GPU HGX)\"") ==
          "h100-mesh-4x");
    CHECK(node("NVIDIA A100-PCIE-40GB", "gpus_per_node: 2, nodes: 1, intra: \"PCIe gen4, no NVLink bridge stated\"") ==
          "a100-pcie-2x");
    CHECK(node("NVIDIA H100 PCIe", "gpus_per_node: 2, nodes: 1, intra: \"NVLink bridge between 2 H100 PCIe\"") ==
          "h100-pcie-2x");
}

TEST_CASE("trays of several NVLink domains are as many nodes") {
    const auto cluster = [](const std::string& more) {
        return derived({"{gpu: \"NVIDIA GB300\", gpus_per_node: 4, nodes: 4, network: RoCE, " + more + "}"})
            .scenario.cluster;
    };
    CHECK(cluster("intra: NVL72").nodes == 1);
    CHECK(cluster("intra: \"NVL72; the nodes stand in distinct NVLink domains\"").nodes == 4);
    const ClusterRequest two = cluster("intra: NVL72, nvlink_domains: 2");
    CHECK(two.nodes == 2);
    CHECK(two.gpus_per_node == 8);
    CHECK(two.link == "ethernet-800g");  // ConnectX-8 is on the board of a GB300
}

TEST_CASE("trays of one NVL72 rack are one node") {
    const Derived d = derived({"{gpu: \"NVIDIA GB200\", gpus_per_node: 4, nodes: 18, intra: \"NVL72 rack\"}"});
    CHECK(d.scenario.cluster.nodes == 1);
    CHECK(d.scenario.cluster.gpus_per_node == 72);
    CHECK(d.ranks == 72);
    // A NIC each for the four GPUs of a tray are 64 for the sixteen trays that are a node here.
    const Derived two =
        derived({"{gpu: \"NVIDIA GB200\", gpus_per_node: 4, nodes: 32, intra: \"NVL72 rack\", network: "
                 "\"2 NVL72 racks over RoCE 400 Gb/s\", nics_per_node: 4}"});
    CHECK(two.scenario.cluster.nodes == 2);
    CHECK(std::ranges::any_of(two.assumptions,
                              [](const std::string& a) { return a.find("64 NICs a node") != std::string::npos; }));
}

TEST_CASE("ranks, used GPUs and nodes agree") {
    CHECK(derived({"{gpu: H100, gpus_per_node: 8, gpus_used: 4, nodes: 1}"}).ranks == 4);
    CHECK(derived({"{gpu: H100, gpus_per_node: 8, nodes: 2}"}).ranks == 16);
    const Derived d = derived({"{gpu: H100, gpus_per_node: 8, nodes: 2}", "{}", "{collective: all_reduce, ranks: 4}"});
    CHECK(d.scenario.cluster.gpus_per_node == 2);
    CHECK_THAT(refusal({"{gpu: H100, gpus_per_node: 8, nodes: 3}", "{}", "{collective: all_reduce, ranks: 16}"}),
               ContainsSubstring("do not divide"));
    CHECK_THAT(refusal({"{gpu: H100, gpus_per_node: 4, nodes: 2}", "{}", "{collective: all_reduce, ranks: 16}"}),
               ContainsSubstring("16 on 2 nodes of 4") && ContainsSubstring("at most 8"));
    CHECK_THAT(refusal({"{gpu: H100, gpus_per_node: eight, nodes: 3}"}),
               ContainsSubstring("gpus_per_node is not a count"));
}

TEST_CASE("processors are known by their maker") {
    const auto vendor = [](const std::string& name) {
        const auto options =
            derived({"{gpu: H100, gpus_per_node: 8, nodes: 1, cpu: \"" + name + "\"}"}).scenario.cluster.node_options;
        return options.contains("cpu_vendor") ? options.at("cpu_vendor") : "";
    };
    CHECK(vendor("AMD EPYC 7V12") == "amd");
    CHECK(vendor("2x Xeon Platinum 8360Y") == "intel");
    CHECK(vendor("Grace, 72 cores") == "nvidia");
    CHECK(vendor("IBM POWER9") == "ibm");
    CHECK(vendor("a fast one").empty());
}

TEST_CASE("every NCCL measurement of this repository derives, or is not a curve of one collective") {
    std::vector<std::string> refused;
    for (const auto& entry : std::filesystem::directory_iterator(FABRICAST_SOURCE_DIR "/validate/measurements/nccl")) {
        INFO(entry.path());
        const Measurement m = read_measurement(entry.path());
        try {
            const Derived d = derive(m);
            CHECK(d.ranks >= 2);
            CHECK_FALSE(d.assumptions.empty());
        } catch (const InputError&) { refused.push_back(m.id); }
    }
    std::ranges::sort(refused);
    // One speaks of "several" collectives, the other of "various" GPUs.
    CHECK(refused == std::vector<std::string>{"mleng-h200-collectives-16GiB", "summary-single-values"});
}

TEST_CASE("no dataset is named in the alias table") {
    std::ifstream file(FABRICAST_SOURCE_DIR "/validate/aliases.yaml");
    const std::string aliases((std::istreambuf_iterator<char>(file)), {});
    REQUIRE_FALSE(aliases.empty());
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(FABRICAST_SOURCE_DIR "/validate/measurements")) {
        if (entry.path().parent_path().filename() != "measurements" && entry.path().extension() == ".yaml") {
            INFO(entry.path());
            CHECK(aliases.find(entry.path().stem().string()) == std::string::npos);
        }
    }
}

TEST_CASE("patterns search a text of any length in its own time, and recurse over none of it") {
    const std::string page(1 << 20, 'x');
    CHECK(first_match(builtin_aliases().gpus, page) == nullptr);
    CHECK(first_match(builtin_aliases().networks, page) == nullptr);
    REQUIRE(first_match(builtin_aliases().gpus, page + " h100") != nullptr);
    CHECK(first_match(builtin_aliases().gpus, page + " h100")->word("gpu") == "h100-sxm");
    // `unless` and `and`: what a pattern must not, or also must, stand beside.
    CHECK(first_match(builtin_aliases().gpus, "NVIDIA H200")->word("gpu") == "h200-sxm");
    CHECK(first_match(builtin_aliases().gpus, "NVIDIA H200 NVL")->word("gpu") == "h200-nvl");
    CHECK(first_match(builtin_aliases().networks, "Slingshot, aws-ofi-nccl 1.6")->word("transport") == "cxi-ofi-1.6");
    CHECK(first_match(builtin_aliases().networks, "Slingshot, aws-ofi-nccl 1.9")->word("transport").empty());
}

TEST_CASE("a card without a part is taken for one of its generation, which is said") {
    const auto card = [](const std::string& gpu, const std::string& part) {
        INFO(gpu);
        const Derived d = derived({"{gpu: \"" + gpu + "\", gpus_per_node: 4, nodes: 1}"});
        CHECK(d.scenario.cluster.node.find(part) != std::string::npos);
        CHECK(d.gpu_guessed);
        CHECK(d.spread > 1.15);
        CHECK(assumes(d, "gpu: a"));
    };
    card("RTX PRO 5000 Blackwell", "rtx-pro-6000-blackwell-pcie");
    card("NVIDIA GeForce RTX 5080", "rtx-5090-pcie");
    card("4070 Ti", "rtx4090-8x");
    card("NVIDIA GeForce RTX 2080 Ti", "t4-pcie");
    card("NVIDIA RTX A4000", "rtx-a6000-pcie");
    card("A5000", "rtx-a6000-pcie");
    card("RTX 4000 Ada", "rtx-6000-ada-pcie");
    card("RTX 5000 Ada Generation", "rtx-6000-ada-pcie");
    card("RTX 5880 Ada", "rtx-6000-ada-pcie");
    card("TITAN RTX", "t4-pcie");
    card("L20", "l40-pcie");
    for (const char* gpu : {"RTX 4090D", "RTX 4090 D"}) {
        const Derived d = derived({std::string("{gpu: ") + gpu + ", gpus_per_node: 8, nodes: 1}"});
        CHECK(d.scenario.cluster.node == "rtx4090-8x");
        CHECK_FALSE(d.gpu_guessed);
    }
}

TEST_CASE("a GB200 NVL4 is a mesh of four with two Grace, and no rack") {
    const Derived d = derived({"{gpu: NVIDIA GB200 NVL4, gpus_per_node: 4, nodes: 2, network: InfiniBand NDR}"});
    CHECK(d.scenario.cluster.nodes == 2);
    CHECK(d.scenario.cluster.node == "4x-gb200-mesh");
    CHECK(d.scenario.cluster.link == "infiniband-ndr");
    REQUIRE(d.scenario.cluster.node_parts);
    CHECK(d.scenario.cluster.node_parts->required("cpus").required("part").text == "grace");
    CHECK(d.scenario.cluster.node_parts->required("cpus").required("count").text == "2");
}
