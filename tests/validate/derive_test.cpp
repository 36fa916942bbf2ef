#include "validate/curves/derive.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "validate/curves/curve.hpp"
#include "validate/curves/derive_node.hpp"
#include "validate/import/alias.hpp"

using namespace fabricast;

namespace {

struct Said {
    std::string system, software = "{nccl: \"2.27.3\"}", benchmark = "{collective: all_reduce}";
};

Derived derived(const Said& said) {
    return derive(parse_measurement("id: t\nsource: {url: x}\nkind: nccl\nsystem: " + said.system +
                                        "\nsoftware: " + said.software + "\nbenchmark: " + said.benchmark +
                                        "\ncolumns: [size_bytes, time_us]\nrows:\n  - [8, 1]\n",
                                    "t.yaml"));
}

std::string refusal(const Said& said) {
    try {
        derived(said);
    } catch (const InputError& error) { return error.what(); }
    return "";
}

std::string node(const std::string& gpu, const std::string& more = "gpus_per_node: 8, nodes: 1") {
    return derived({"{gpu: \"" + gpu + "\", " + more + "}"}).scenario.cluster.node;
}

ClusterRequest cluster(const std::string& gpu, const std::string& network) {
    return derived({"{gpu: \"" + gpu + "\", gpus_per_node: 8, nodes: 2, " + network + "}"}).scenario.cluster;
}

}  // namespace

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

TEST_CASE("networks are known under the names people give them") {
    CHECK(cluster("H100", "nic: \"8x 400 Gb/s\", network: InfiniBand").link == "infiniband-ndr");
    CHECK(cluster("H100", "nic: \"ConnectX-7 InfiniBand NDR\"").link == "infiniband-ndr");
    CHECK(cluster("A100", "nic: \"Mellanox HDR InfiniBand 200 Gb/s\", nics_per_node: 4").link == "infiniband-hdr");
    CHECK(cluster("A100", "nic: \"Mellanox HDR InfiniBand 200 Gb/s\", nics_per_node: 4").node_options.at("nics") ==
          "4");
    CHECK(cluster("V100", "nic: \"EDR\"").link == "infiniband-edr");
    CHECK(cluster("H100", "nic: \"RoCE 400\", network: \"RoCE v2 400G\"").link == "ethernet-400g");
    CHECK(cluster("H100", "nic: \"100GbE\", network: \"RoCE\"").link == "ethernet-100g");
    CHECK(cluster("A100", "nic: \"HPE Slingshot-11 Cassini 200 Gb/s\"").link == "slingshot-11");
    CHECK(cluster("H100", "nic: \"AWS EFA v2, 32x 100 Gb/s (3200 Gb/s per node)\"").link == "efa-v2");
    CHECK(cluster("H100", "nic: EFA, network: p5.48xlarge").node_options.at("nics") == "32");
    CHECK(cluster("H100", "nic: EFA, network: p5.48xlarge").node == "hgx-h100-efa");
    CHECK(cluster("A100", "nic: \"AWS EFA, 4x 100 Gb/s\", network: p4de.24xlarge").link == "efa-v1");
    CHECK(cluster("A100", "nic: \"AWS EFA, 4x 100 Gb/s\", network: p4de.24xlarge").node == "hgx-a100-efa");
    CHECK(cluster("B300", "nic: \"ConnectX-8, 800 Gb/s\", network: RoCE").link == "ethernet-800g");
    CHECK(cluster("B200", "nic: \"AWS EFA v4 400 Gb/s per GPU (8x 50 GB/s)\"").node_options.at("nics") == "8");
    CHECK(cluster("H100", "nic: \"8x 200 Gb/s GPUDirect-TCPXO (FasTrak)\"").link == "gcp-tcpxo");
    CHECK(cluster("H100", "nic: \"RoCE\", network: \"RoCE 400 Gb/s per node\", nics_per_node: 2").link ==
          "ethernet-200g");
    CHECK(cluster("H100", "nic: \"NDR200\"").link == "infiniband-ndr200");
    CHECK(cluster("A100", "nic: \"4x HDR100\"").link == "infiniband-hdr100");
    CHECK(cluster("H100", "nic: null").link == "infiniband-ndr");
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

TEST_CASE("sockets, plugins and GPUDirect come from the environment") {
    const std::string system = "{gpu: A100, gpus_per_node: 8, nodes: 2, nic: \"ConnectX-6 200 Gb/s\"}";
    CHECK(derived({system, "{env: \"NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=eth0\"}"}).scenario.library.network_plugin ==
          "sockets");
    CHECK(derived({system, "{env: \"NCCL_SOCKET_IFNAME=eth0\"}"}).scenario.library.network_plugin.empty());
    CHECK(derived({"{gpu: A100, gpus_per_node: 8, nodes: 2, network: \"IPoIB\"}"}).scenario.library.network_plugin ==
          "sockets");
    CHECK(derived({"{gpu: GH200, gpus_per_node: 4, nodes: 2, nic: Slingshot-11}", "{env: \"CXI hook disabled\"}"})
              .scenario.library.network_plugin == "sockets");
    CHECK(derived({system, "{env: \"NCCL_NET_GDR_LEVEL=LOC\"}"}).scenario.cluster.node_options.at("gpu_direct") ==
          "false");
    // By default NCCL's GPUDirect does not cross a host bridge; NCCL_NET_GDR_LEVEL lets it.
    const std::string apart =
        "{gpu: H200, gpus_per_node: 1, nodes: 2, nics_per_node: 1, "
        "nic: \"ConnectX-7 400 Gb/s RoCE; GPU and NIC are not the same PCIe pair\"}";
    CHECK(derived({apart, "{env: gIB}"}).scenario.cluster.node_options.at("gpu_direct") == "false");
    CHECK(derived({apart, "{env: gIB}"}).scenario.library.env.at("NCCL_NET_GDR_LEVEL") == "PIX");
    CHECK_FALSE(
        derived({apart, "{env: \"NCCL_NET_GDR_LEVEL=SYS\"}"}).scenario.cluster.node_options.contains("gpu_direct"));
    const Derived tcpx = derived({"{gpu: H100, gpus_per_node: 8, nodes: 2, network: \"GPUDirect-TCPX\"}"});
    CHECK(tcpx.scenario.cluster.link == "gcp-tcpx");
    CHECK(tcpx.scenario.library.env.at("NCCL_ALGO") == "Ring");
    // What no part of the catalogue is, is the nearest, and widens the interval.
    const Derived slow = derived({"{gpu: H100, gpus_per_node: 8, nodes: 2, nic: \"InfiniBand 37 Gb/s\"}"});
    CHECK(slow.scenario.cluster.link == "infiniband-qdr");
    CHECK(slow.spread == Approx(40.0 / 37));
}

TEST_CASE("variables of NCCL go to the library, quoted or not") {
    const auto env =
        derived({"{gpu: H100, gpus_per_node: 8, nodes: 1}",
                 R"({env: "setup (5): NCCL_ALGO=Ring NCCL_NET=\"AWS Libfabric\" FI_CXI_X=1; NCCL_IB_HCA=mlx5_0,2"})"})
            .scenario.library.env;
    CHECK(env.at("NCCL_ALGO") == "Ring");
    CHECK(env.at("NCCL_NET") == "AWS Libfabric");
    CHECK(env.at("NCCL_IB_HCA") == "mlx5_0,2");
    CHECK_FALSE(env.contains("FI_CXI_X"));
}

TEST_CASE("a plugin's defaults hold on one node too, below what the user sets") {
    const auto env = [](const std::string& software) {
        return derived({"{gpu: H100, gpus_per_node: 8, nodes: 1, network: \"AWS EFA\"}", software})
            .scenario.library.env;
    };
    CHECK(env("{}").at("NCCL_NVLS_CHUNKSIZE") == "524288");
    CHECK(env("{env: \"(NCCL_NVLS_CHUNKSIZE=65536)\"}").at("NCCL_NVLS_CHUNKSIZE") == "65536");
    const auto p4d = derived({"{gpu: A100, gpus_per_node: 8, nodes: 2, network: p4d.24xlarge}"}).scenario.library.env;
    CHECK(p4d.at("NCCL_PROTO") == "simple");
}

TEST_CASE("the NCCL version is stated, named elsewhere, shipped with CUDA or usual") {
    const std::string system = "{gpu: H100, gpus_per_node: 8, nodes: 1}";
    CHECK(derived({system, "{nccl: \"2.16.5+cuda11.8\"}"}).scenario.library.nccl == "2.16.5");
    CHECK(derived({system, "{env: \"NCCL 2.19\"}"}).scenario.library.nccl == "2.19");
    CHECK(derived({system, "{cuda: \"12.4\"}"}).scenario.library.nccl == "2.21");
    CHECK(derived({system, "{cuda: \"11.2.2\"}"}).scenario.library.nccl == "2.8");
    CHECK(derived({system, "{}"}).scenario.library.nccl == "2.23");
    CHECK(derived({"{gpu: A100, gpus_per_node: 8, nodes: 1}", "{}"}).scenario.library.nccl == "2.8");
    CHECK(derived({"{gpu: A100, gpus_per_node: 8, nodes: 2}", "{}"}).scenario.library.nccl == "2.18");
    CHECK(derived({system, "{nccl: \"2.9.9\"}"}).group.nccl_era == "<2.18");
    CHECK(derived({system, "{nccl: \"2.18.1\"}"}).group.nccl_era == ">=2.18");
}

TEST_CASE("the launch is one process for all, one a GPU, or a framework's loop") {
    const auto mode = [](const std::string& benchmark) {
        return derived({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{}", "{collective: all_reduce, " + benchmark + "}"})
            .scenario.launch.mode;
    };
    CHECK(mode("header: \"nThread 1 nGpus 8 minBytes 8\"") == LaunchMode::thread);
    CHECK(mode("header: \"nThread 8 nGpus 1 minBytes 8\"") == LaunchMode::threads);
    CHECK(mode("options: \"-b 8 -e 16G -g 8\"") == LaunchMode::thread);
    CHECK(mode("options: \"-b 8 -e 16G -g 1\"") == LaunchMode::process);
    CHECK(mode("tool: \"all_reduce_bench.py (torch.distributed)\"") == LaunchMode::framework);
    CHECK(mode("tool: nccl-tests") == LaunchMode::process);
}

TEST_CASE("nccl-tests' -R says how buffers are registered") {
    const auto derived_of = [](const std::string& options) {
        return derived({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{nccl: \"2.28.3\"}",
                        "{collective: all_reduce, options: \"-b 8 -e 16G -g 1" + options + "\"}"});
    };
    CHECK(derived_of(" -R 2").scenario.library.registered == Registered::window);
    CHECK(derived_of("").scenario.library.registered == Registered::none);
    const Derived local = derived_of(" -R 1");
    CHECK(local.scenario.library.registered == Registered::buffer);
    CHECK(local.assumptions.size() == derived_of("").assumptions.size() + 1);
}

TEST_CASE("collectives and element types are known or refused by name") {
    const auto collective = [](const std::string& name) {
        return collective_of(
                   derived({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{}", "{collective: " + name + "}"}).scenario)
            .collective;
    };
    CHECK(collective("alltoall") == Collective::all_to_all);
    CHECK(collective("all_to_all") == Collective::all_to_all);
    CHECK(collective("AllReduce") == Collective::all_reduce);
    CHECK(collective("reduce") == Collective::reduce);
    CHECK(collective("reduce_scatter_perf") == Collective::reduce_scatter);
    CHECK(collective("sendrecv") == Collective::sendrecv);
    CHECK_THAT(refusal({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{}", "{collective: several}"}),
               ContainsSubstring("'several'"));
    CHECK_THAT(refusal({"{gpu: H100, gpus_per_node: 8, nodes: 1}", "{}", "{collective: all_reduce, dtype: complex}"}),
               ContainsSubstring("'complex'"));
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

TEST_CASE("A log that nccl-tests of 2022 or later wrote is not forecast by an NCCL of years before") {
    const std::string a100 = "{gpu: A100-SXM4-80GB, gpus_per_node: 8, nodes: 1}";
    const auto version = [&](const std::string& header) {
        const Said said{a100, "{}", "{collective: all_reduce, header: \"" + header + "\"}"};
        return derived(said).scenario.library.nccl;
    };
    CHECK(version("nThread 1 nGpus 8 minBytes 8 maxBytes 8 validation: 1") == "2.8");
    CHECK(version("nThread 1 nGpus 8 minBytes 8 maxBytes 8 validation: 1 graph: 0") == "2.18");
}

namespace {

bool assumes(const Derived& d, const std::string& words) {
    return std::ranges::any_of(d.assumptions, [&](const std::string& a) { return a.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("NVLinks in the words of nvidia-smi topo -m are NVLinks, also beside how far the NICs are over PCIe") {
    const auto joined = [](const std::string& gpu, const std::string& intra, const std::string& gpus = "8") {
        return node(gpu, "gpus_per_node: " + gpus + ", nodes: 1, intra: \"" + intra + "\"");
    };
    CHECK(joined("H100 SXM5", "NV18 between GPUs, PIX to NICs") == "dgx-h100");
    CHECK(joined("NVIDIA A100-SXM4-40GB", "NV12 all-to-all (GPU-NIC: PXB/SYS)") == "dgx-a100");
    CHECK(joined("B200", "NV18 + PCIe Gen5") == "dgx-b200");
    CHECK(joined("GB300", "NV18 / NODE / SYS", "4") == "gb300-nvl72");
    CHECK(joined("H100 NVL", "NV12 between pairs, SYS else") == "8x-h100-nvl-bridges");
    CHECK(joined("A100 80GB PCIe", "NV12 / SYS", "4") == "4x-a100-pcie-80-bridges");
    CHECK(joined("NVIDIA A40", "NV4 / NODE", "2") == "2x-a40-bridges");
    // Four GPUs of a board have all their links to each of the others only through switches.
    CHECK(joined("NVIDIA A100-SXM4-40GB", "NV4 / PXB", "4") == "a100-mesh-4x");
    CHECK(joined("NVIDIA A100-SXM4-40GB", "NV12 / PXB", "4") == "dgx-a100");
    CHECK(joined("A100 80GB PCIe", "PIX / SYS") == "a100-pcie-8x");
}

TEST_CASE("a board without its links, and a card with links that it cannot have, are said and widen") {
    const Derived board = derived({"{gpu: H100 SXM5, gpus_per_node: 8, nodes: 1, intra: PCIe gen5}"});
    CHECK(assumes(board, "without the links of the board of a h100-sxm"));
    CHECK(board.spread > 1.4);
    const Derived card = derived({"{gpu: L40S, gpus_per_node: 8, nodes: 1, intra: NV4 / SYS}"});
    CHECK(card.scenario.cluster.node == "l40s-8x");
    CHECK(assumes(card, "no NVLinks are known of a l40s"));
}

TEST_CASE("a cloud's names count behind an underscore, and instances have the NICs that they are sold with") {
    CHECK(node("Standard_ND96isr_H100_v5") == "dgx-h100");
    const ClusterRequest h100 = cluster("H100", "network: Azure Standard_ND96isr_H100_v5");
    CHECK(h100.link == "infiniband-ndr");
    CHECK(h100.node_options.at("nics") == "8");
    const ClusterRequest v100 = cluster("V100", "network: Azure Standard_ND40rs_v2");
    CHECK(v100.link == "infiniband-edr");
    CHECK(v100.node_options.at("nics") == "1");
    CHECK(cluster("MI300X", "network: Standard_ND96isr_MI300X_v5").node_options.at("nics") == "8");
}

TEST_CASE("rates and numbers of ports are read as people write them") {
    const auto ports = [](const std::string& gpu, const std::string& network) {
        const ClusterRequest c = cluster(gpu, network);
        return c.link + " x" + (c.node_options.contains("nics") ? c.node_options.at("nics") : "-");
    };
    CHECK(ports("A100", "network: \"RoCE, 8x200Gb/s\"") == "ethernet-200g x8");
    CHECK(ports("A100", "network: \"TCP, 2x25GbE\"") == "ethernet-25g x2");
    CHECK(ports("A100", "network: 1x100GbE") == "ethernet-100g x1");
    CHECK(ports("B300", "nic: \"ConnectX-8, 2x400G per GPU\", network: RoCE") == "ethernet-400g x16");
    CHECK(ports("H100", "nic: \"4*400G (bond of 2x200G), ConnectX-7\", network: RoCE") == "ethernet-400g x4");
    // A generation goes before an adapter, which may run in a slower mode.
    CHECK(ports("H100", "nic: ConnectX-7, network: InfiniBand HDR") == "infiniband-hdr x-");
    CHECK(ports("H100", "nic: \"ConnectX-7 (HDR200 mode)\"") == "infiniband-hdr x-");
    CHECK(ports("H100", "nic: ConnectX-7, network: InfiniBand") == "infiniband-ndr x-");
    CHECK(ports("H100", "network: \"3200 Gbps InfiniBand\"") == "infiniband-ndr x8");
    CHECK(ports("A100", "network: \"1600 Gb/s InfiniBand\"") == "infiniband-hdr x8");
}

TEST_CASE("a network whose rate no word tells is not one that is not stated") {
    const auto on = [](const std::string& network) {
        return derived({"{gpu: H100, gpus_per_node: 8, nodes: 2" + network + "}"});
    };
    CHECK(assumes(on(""), "nic speed: not stated; 400 Gb/s"));
    CHECK(assumes(on(", network: InfiniBand ZDR"), "nic speed: none is understood in 'InfiniBand ZDR'; 400 Gb/s"));
    CHECK_FALSE(assumes(on(", network: InfiniBand HDR"), "nic speed"));
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

TEST_CASE("what runs neither NCCL nor RCCL is refused") {
    for (const char* gpu : {"Intel Gaudi 3", "Huawei Ascend 910B", "TPU v5e"}) {
        INFO(gpu);
        CHECK_THAT(refusal({std::string("{gpu: ") + gpu + ", gpus_per_node: 8, nodes: 1}"}),
                   ContainsSubstring("neither NCCL nor RCCL"));
    }
    CHECK(node("H100", "gpus_per_node: 8, nodes: 1, notes: compared with a Gaudi 3") == "dgx-h100");
    CHECK(refusal({"{gpus_per_node: 8, nodes: 1, notes: compared with a Gaudi 3}"}).empty());
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

TEST_CASE("a network that hosts of one NVLink domain do not use is said, and words part them") {
    const std::string system = "gpu: GB300, gpus_per_node: 4, nodes: 2, network: RoCE 400 Gb/s";
    const Derived one = derived({"{" + system + "}"});
    CHECK(one.scenario.cluster.nodes == 1);
    CHECK(assumes(one, "network: 'RoCE 400 Gb/s' is not used, for the 2 nodes"));
    const Derived apart = derived({"{" + system + ", notes: \"two separate nodes, no NVLink between them\"}"});
    CHECK(apart.scenario.cluster.nodes == 2);
    CHECK(apart.scenario.cluster.link == "ethernet-400g");
    const Derived intra = derived({"{" + system + ", intra: \"NVL72 trays, no NVLink between nodes\"}"});
    CHECK(intra.scenario.cluster.nodes == 2);
    CHECK(intra.group.fabric.find("pcie") == std::string::npos);
}

TEST_CASE("a toolkit newer than the table leaves NCCL's version a guess") {
    const std::string system = "{gpu: B200, gpus_per_node: 8, nodes: 1}";
    CHECK(derived({system, "{cuda: \"13.1\"}"}).nccl_guessed);
    CHECK_FALSE(derived({system, "{cuda: \"13.0.1\"}"}).nccl_guessed);
    CHECK_FALSE(derived({system, "{cuda: \"12.2\"}"}).nccl_guessed);
    CHECK(derived({"{gpu: MI355X, gpus_per_node: 8, nodes: 1}", "{cuda: ROCm 7.2.2}"}).nccl_guessed);
    CHECK_FALSE(derived({"{gpu: MI355X, gpus_per_node: 8, nodes: 1}", "{cuda: ROCm 7.1.1}"}).nccl_guessed);
}

TEST_CASE("the library's code counts beside its headers', and a release that does not exist is said") {
    const std::string system = "{gpu: B200, gpus_per_node: 8, nodes: 1}";
    CHECK(derived({system, "{nccl: nccl-headers=22809 nccl-library=22907}"}).scenario.library.nccl == "2.29.07");
    const Derived unknown = derived({system, "{nccl: \"3.0\"}"});
    CHECK(unknown.nccl_guessed);
    CHECK(assumes(unknown, "nccl: '3.0' is no release"));
}
