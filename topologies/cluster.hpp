#pragma once
// Describes a cluster as plain values: a node template (devices and the cables between them), the number of nodes, and
// the fabric that joins them. `sim/scenario` reads these from YAML; `Fabric` makes links and paths from them.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "models/device_part.hpp"
#include "models/link.hpp"
#include "topologies/topology.hpp"

namespace fabricast::inline topologies {

// The cluster cannot be built; the message says which figure is wrong and what would fit.
struct ClusterError : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// One device inside a node: "gpu3", "nic0", "cpu1", "switch2" (PCIe), "nvswitch".
struct NodeDevice {
    std::string name;
    std::string part;  // catalogue part, e.g. "connectx-7"; may be empty
    Duration latency;  // for passing through it (PCIe switch, root complex, NVSwitch)
    // Limit on the sum of both directions through the device, bytes per second; 0: no limit. This models the PCIe
    // duplex interference of facts pcie.md §1: both directions through a root port or bridge share one service.
    double duplex_capacity = 0;
    int numa = 0;
};

// A full-duplex cable (or a bundle of `count` of them used as one) between two devices of the node.
struct NodeCable {
    std::string a, b;
    LinkSpec link;
    int count = 1;
    double duplex_capacity = 0;  // the same limit, for the port at which this cable ends
};

enum class NvlinkShape : std::uint8_t { none, mesh, nvswitch };

// One kind of node. GPU 0 is device "gpu0", NIC 0 is "nic0", and so on.
struct NodeTemplate {
    std::string name;
    GpuSpec gpu;
    std::uint32_t gpus = 0;
    std::uint32_t nics = 0;
    int nic_ports = 1;  // cables per NIC, used as one (2x200G, 4x100G)
    std::string nic_part;
    std::string nic_link;    // catalogue link that its port is usually used with
    std::string cpu_vendor;  // "intel", "amd", "nvidia", "ibm"
    std::string cpu_family;  // NCCL's name for the link between sockets: "skylake", "sapphire_rapids"; empty: unknown
    NvlinkShape nvlink = NvlinkShape::none;
    int nvswitch_generation = 0;  // 3 and later reduce and multicast in the switch (NVLS)
    bool peer_to_peer = true;     // PCIe P2P between GPUs is allowed (driver, ACS)
    bool gpu_direct = true;       // NICs can read and write GPU memory
    std::vector<NodeDevice> devices;
    std::vector<NodeCable> cables;
};

// How flows choose among equal paths. `adaptive`: sprayed evenly, so parallel trunks act as one bundle; `ecmp`: one
// path, by a hash of the flow label with the fabric's seed.
enum class PathChoice : std::uint8_t { adaptive, ecmp };

// How switches of a graph forward: by the flow's hash over the shortest ways, or by a subnet manager's tables.
enum class GraphRouting : std::uint8_t { ecmp, min_hop, up_down, fat_tree };
inline constexpr std::array<std::string_view, 4> graph_routing_names = {"ecmp", "min-hop", "up-down", "fat-tree"};

struct FabricSpec {
    FabricKind kind = FabricKind::none;
    LinkSpec link;  // from nodes to leaves and, unless `trunk` is set, between switches
    LinkSpec trunk;
    std::string switch_part;
    int radix = 64;                                 // ports of one switch at the link's rate
    std::uint32_t port_links = 1, port_trunks = 1;  // links and trunks that one full-rate port is split into
    Duration switch_latency;
    int tiers = 0;                // 0: as many as the size needs (1..4)
    double oversubscription = 1;  // down : up at the leaf
    PathChoice choice = PathChoice::adaptive;
    GraphRouting routing = GraphRouting::ecmp;  // of an explicit graph
    double trunk_utilisation = 1;        // share of a trunk's capacity that routing can fill (adaptive 0.95-0.98)
    std::uint32_t scalable_unit = 0;     // nodes per set of leaves; 0: as many as the leaves have ports for
    std::uint32_t spines = 0;            // switches of the second tier, all pods together; 0: as few as possible
    std::uint32_t planes = 2;            // of dual-plane: cables of a NIC, each to a fabric of its own
    std::uint32_t plane_cables = 0;      // of planes, that one port at the link's rate serves; 0: one of each plane
    std::uint32_t management_ports = 0;  // cables to fabric managers and the like, each on a free port of a leaf
    std::vector<int> shape;  // torus: nodes per dimension; dragonfly: {groups, routers per group, nodes per router}
    std::uint64_t seed = 1;
    bool same_hash = false;  // all switches of a Clos use the same hash, without a salt: flows polarise
};

// The explicit graph of a scenario: every device and cable by name.
struct ExplicitGraph {
    std::vector<NodeDevice> devices;  // names as written: "node0.gpu0", "leaf1"
    std::vector<NodeCable> cables;
};

// A run of equal nodes in a cluster of several kinds, and the link of their ports.
struct NodeRun {
    NodeTemplate node;
    std::uint32_t nodes = 1;
    LinkSpec link;
};

struct Cluster {
    std::string name;
    NodeTemplate node;          // of all nodes, or of the first where there are several kinds
    std::uint32_t nodes = 1;    // in all
    std::vector<NodeRun> runs;  // in the order of nodes; empty: all are alike
    FabricSpec fabric;
    ExplicitGraph graph;               // only for FabricKind::explicit_graph
    std::vector<std::uint32_t> place;  // the nodes with ranks, in the order of ranks; empty: all (Fabric::on)
};

}  // namespace fabricast::inline topologies
