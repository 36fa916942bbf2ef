#pragma once
// Two or three tiny clusters that serve every test; their figures are round so that a result can be recomputed on
// paper.

#include <string>

#include "topologies/cluster.hpp"

namespace fabricast::tiny {

// A link without framing loss: its goodput is its rate.
inline LinkSpec link(LinkFamily family, std::int64_t gigabytes_per_second, Duration latency) {
    LinkSpec spec;
    spec.name = "tiny";
    spec.family = family;
    spec.rate = Rate::per_second(gigabytes_per_second * 1'000'000'000);
    spec.latency = latency;
    return spec;
}

// GPUs on one NVSwitch: 100 GB/s and 500 ns each way, so that a GPU-to-GPU path is 2 links and 1 us.
inline NodeTemplate nvswitch_node(std::uint32_t gpus, std::uint32_t nics = 0) {
    NodeTemplate node;
    node.name = "tiny-nvswitch";
    node.gpu.name = "tiny-gpu";
    node.gpu.nvlinks = 18;
    node.gpu.nvlink_rate = 100e9;
    node.gpus = gpus;
    node.nics = nics;
    node.cpu_vendor = "intel";
    node.nvlink = NvlinkShape::nvswitch;
    node.nvswitch_generation = 3;
    node.devices.push_back({.name = "nvswitch", .part = {}, .latency = {}});
    for (std::uint32_t i = 0; i < gpus; ++i) {
        const LinkSpec nvlink = link(LinkFamily::nvlink, 100, nanoseconds(500));
        node.cables.push_back({"gpu" + std::to_string(i), "nvswitch", nvlink});
    }
    return node;
}

// The PCIe side: one switch for each NIC with the GPUs nearest to it, one CPU and its memory above. 50 GB/s and 100 ns
// a cable, so that GPU to its NIC is 2 links and 200 ns.
inline void add_pcie(NodeTemplate& node) {
    node.devices.push_back({.name = "cpu0", .part = {}, .latency = {}});
    node.devices.push_back({.name = "memory0", .part = {}, .latency = {}});
    node.cables.push_back({"cpu0", "memory0", link(LinkFamily::memory, 200, nanoseconds(100))});
    const LinkSpec pcie = link(LinkFamily::pcie, 50, nanoseconds(100));
    for (std::uint32_t nic = 0; nic < node.nics; ++nic) {
        const std::string name = "switch" + std::to_string(nic);
        node.devices.push_back({.name = name, .part = {}, .latency = {}});
        node.cables.push_back({name, "cpu0", pcie});
        node.cables.push_back({"nic" + std::to_string(nic), name, pcie});
        for (std::uint32_t gpu = 0; gpu < node.gpus; ++gpu) {
            if (gpu * node.nics / node.gpus == nic) {
                node.cables.push_back({"gpu" + std::to_string(gpu), name, pcie});
            }
        }
    }
}

// 25 GB/s and 300 ns a cable, 200 ns a switch.
inline FabricSpec fabric(FabricKind kind, int radix = 64, double oversubscription = 1) {
    FabricSpec spec;
    spec.kind = kind;
    spec.link = link(LinkFamily::infiniband, 25, nanoseconds(300));
    spec.radix = radix;
    spec.switch_latency = nanoseconds(200);
    spec.oversubscription = oversubscription;
    return spec;
}

// One node: GPUs on an NVSwitch, nothing else.
inline Cluster one_node(std::uint32_t gpus = 4) {
    Cluster cluster;
    cluster.name = "tiny one node";
    cluster.node = nvswitch_node(gpus);
    return cluster;
}

// Nodes of GPUs with a NIC each, joined by a fabric.
inline Cluster cluster(std::uint32_t nodes, std::uint32_t gpus, FabricSpec spec) {
    Cluster built;
    built.name = "tiny cluster";
    built.node = nvswitch_node(gpus, gpus);
    add_pcie(built.node);
    built.nodes = nodes;
    built.fabric = std::move(spec);
    return built;
}

// Two nodes of two GPUs and two NICs on one switch: four links of PCIe and two of 25 GB/s between nodes.
inline Cluster two_nodes() { return cluster(2, 2, fabric(FabricKind::single_switch)); }

// Sixteen nodes of eight GPUs and eight NICs, rail-optimised with 64-port switches: eight leaves.
inline Cluster sixteen_nodes() { return cluster(16, 8, fabric(FabricKind::rail_optimized)); }

}  // namespace fabricast::tiny
