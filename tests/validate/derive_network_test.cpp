// Which network and adapters a measurement is forecast over.

#include "tests/support/catch.hpp"
#include "tests/validate/derived.hpp"

using namespace fabricast;
using namespace fabricast::test;

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
