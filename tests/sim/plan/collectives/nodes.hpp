#pragma once
// Node templates for the tests of this area, wired by hand: only what a search reads.

#include <string>
#include <utility>
#include <vector>

#include "topologies/cluster.hpp"

namespace fabricast::test {

inline LinkSpec link(LinkFamily family, double gb_per_s) {
    LinkSpec l;
    l.family = family;
    l.rate = Rate::per_second(static_cast<std::int64_t>(gb_per_s * 1e9));
    l.latency = nanoseconds(100);
    return l;
}

inline void set_gpu(NodeTemplate& node, GpuArch arch, int cc, int links, double link_gbs) {
    node.gpu.arch = arch;
    node.gpu.compute_capability = cc;
    node.gpu.nvlinks = links;
    node.gpu.nvlink_rate = links * link_gbs * 1e9;
}

inline void cable(NodeTemplate& node, std::string a, std::string b, LinkSpec spec, int count = 1) {
    node.cables.push_back({std::move(a), std::move(b), std::move(spec), count});
}

inline std::string numbered(const char* what, std::uint32_t i) { return what + std::to_string(i); }

// GPUs each on one NVSwitch plane; a PCIe switch for every `per_switch` GPUs with as many NICs, half of the switches on
// each CPU.
inline NodeTemplate nvswitch_node(std::uint32_t gpus, std::uint32_t nics, std::uint32_t per_switch, double pcie_gbs) {
    NodeTemplate node;
    node.gpus = gpus;
    node.nics = nics;
    node.nvlink = NvlinkShape::nvswitch;
    node.cpu_vendor = "intel";
    node.devices.push_back({.name = "nvswitch", .part = "", .latency = {}});
    for (std::uint32_t g = 0; g < gpus; ++g) {
        cable(node, numbered("gpu", g), numbered("switch", g / per_switch), link(LinkFamily::pcie, pcie_gbs));
    }
    for (std::uint32_t n = 0; n < nics; ++n) {
        cable(node, numbered("nic", n), numbered("switch", n * gpus / nics / per_switch),
              link(LinkFamily::pcie, pcie_gbs));
    }
    const std::uint32_t switches = (gpus + per_switch - 1) / per_switch;
    for (std::uint32_t s = 0; s < switches; ++s) {
        cable(node, numbered("switch", s), numbered("cpu", s < (switches + 1) / 2 ? 0 : 1),
              link(LinkFamily::pcie, pcie_gbs));
    }
    cable(node, "cpu0", "cpu1", link(LinkFamily::cpu_bus, 40));
    return node;
}

inline NodeTemplate with_nvlink(NodeTemplate node, GpuArch arch, int cc, int links, double link_gbs, int generation) {
    set_gpu(node, arch, cc, links, link_gbs);
    node.nvswitch_generation = generation;
    for (std::uint32_t g = 0; g < node.gpus; ++g) {
        cable(node, numbered("gpu", g), "nvswitch", link(LinkFamily::nvlink, link_gbs), links);
    }
    return node;
}

inline NodeTemplate a100_node() { return with_nvlink(nvswitch_node(8, 8, 2, 31.5), GpuArch::ampere, 80, 12, 25, 2); }
inline NodeTemplate h100_node(std::uint32_t gpus = 8) {
    return with_nvlink(nvswitch_node(gpus, gpus, 1, 63), GpuArch::hopper, 90, 18, 25, 3);
}
inline NodeTemplate b200_node(std::uint32_t gpus = 8, double pcie_gbs = 63) {
    return with_nvlink(nvswitch_node(gpus, gpus, 1, pcie_gbs), GpuArch::blackwell, 100, 18, 50, 4);
}

struct MeshEdge {
    std::uint32_t a, b;
    int links;
};

inline NodeTemplate mesh_node(std::uint32_t gpus, const std::vector<MeshEdge>& edges, GpuArch arch, int cc, int links,
                              double link_gbs, double pcie_gbs, std::uint32_t nics = 0) {
    NodeTemplate node;
    node.gpus = gpus;
    node.nics = nics;
    node.nvlink = NvlinkShape::mesh;
    node.cpu_vendor = "intel";
    set_gpu(node, arch, cc, links, link_gbs);
    for (const MeshEdge& e : edges) {
        cable(node, numbered("gpu", e.a), numbered("gpu", e.b), link(LinkFamily::nvlink, link_gbs), e.links);
    }
    for (std::uint32_t g = 0; g < gpus; ++g) {
        cable(node, numbered("gpu", g), numbered("switch", g), link(LinkFamily::pcie, pcie_gbs));
        cable(node, numbered("switch", g), numbered("cpu", g < (gpus + 1) / 2 ? 0 : 1),
              link(LinkFamily::pcie, pcie_gbs));
    }
    for (std::uint32_t n = 0; n < nics; ++n) {
        cable(node, numbered("nic", n), numbered("switch", n * gpus / nics), link(LinkFamily::pcie, pcie_gbs));
    }
    cable(node, "cpu0", "cpu1", link(LinkFamily::cpu_bus, 20));
    return node;
}

// The hybrid cube mesh of the DGX-1 V100 (nvidia-smi topo -m: NV1 and NV2).
inline NodeTemplate dgx1_v100() {
    return mesh_node(8,
                     {{0, 1, 1},
                      {0, 2, 1},
                      {0, 3, 2},
                      {0, 4, 2},
                      {1, 2, 2},
                      {1, 3, 1},
                      {1, 5, 2},
                      {2, 3, 2},
                      {2, 6, 1},
                      {3, 7, 1},
                      {4, 5, 1},
                      {4, 6, 1},
                      {4, 7, 2},
                      {5, 6, 2},
                      {5, 7, 1},
                      {6, 7, 2}},
                     GpuArch::volta, 70, 6, 25, 15.75);
}

// The hybrid cube mesh of the DGX-1 P100: two fully joined quads, i to i + 4.
inline NodeTemplate dgx1_p100() {
    return mesh_node(8,
                     {{0, 1, 1},
                      {0, 2, 1},
                      {0, 3, 1},
                      {1, 2, 1},
                      {1, 3, 1},
                      {2, 3, 1},
                      {4, 5, 1},
                      {4, 6, 1},
                      {4, 7, 1},
                      {5, 6, 1},
                      {5, 7, 1},
                      {6, 7, 1},
                      {0, 4, 1},
                      {1, 5, 1},
                      {2, 6, 1},
                      {3, 7, 1}},
                     GpuArch::pascal, 60, 4, 20, 15.75);
}

// Four GPUs, every pair joined by `links`.
inline NodeTemplate quad(GpuArch arch, int cc, int links, double link_gbs, double pcie_gbs, std::uint32_t nics = 0) {
    return mesh_node(4, {{0, 1, links}, {0, 2, links}, {0, 3, links}, {1, 2, links}, {1, 3, links}, {2, 3, links}},
                     arch, cc, 3 * links, link_gbs, pcie_gbs, nics);
}

// GPUs straight on the CPUs' root ports.
inline NodeTemplate pcie_node(std::uint32_t gpus, GpuArch arch, int cc, double pcie_gbs, std::uint32_t cpus,
                              const std::string& vendor, std::uint32_t nics = 0) {
    NodeTemplate node;
    node.gpus = gpus;
    node.nics = nics;
    node.cpu_vendor = vendor;
    set_gpu(node, arch, cc, 0, 0);
    for (std::uint32_t g = 0; g < gpus; ++g) {
        cable(node, numbered("gpu", g), numbered("cpu", g * cpus / gpus), link(LinkFamily::pcie, pcie_gbs));
    }
    for (std::uint32_t n = 0; n < nics; ++n) {
        cable(node, numbered("nic", n), numbered("cpu", n * cpus / nics), link(LinkFamily::pcie, pcie_gbs));
    }
    if (cpus > 1) { cable(node, "cpu0", "cpu1", link(LinkFamily::cpu_bus, 20)); }
    return node;
}

}  // namespace fabricast::test
