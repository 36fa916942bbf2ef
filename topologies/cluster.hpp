#pragma once
// What a cluster is made of, as values: a node template (devices and the cables between them) x count, and the fabric
// that joins the nodes. `sim/scenario` reads them from YAML; `Fabric` makes links and paths of them.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "models/gpu.hpp"
#include "models/link.hpp"

namespace fabricast {

// The shape cannot be built; the message says which figure is wrong and what would fit.
struct ClusterError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One device inside a node: "gpu3", "nic0", "cpu1", "switch2" (PCIe), "nvswitch".
struct NodeDevice {
    std::string name;
    std::string part;  // catalogue part, e.g. "connectx-7"; may be empty
    Duration latency;  // of passing through it (PCIe switch, root complex, NVSwitch)
    // Sum of both directions through the device that it can serve, bytes per second; 0: no limit. This is the PCIe
    // duplex interference of facts pcie.md §1: a root port or host bridge is one service, not two pipes.
    double duplex_capacity = 0;
    int numa = 0;
};

// A full-duplex cable (or a bundle of `count` of them used as one) between two devices of the node.
struct NodeCable {
    std::string a, b;
    LinkSpec link;
    int count = 1;
    double duplex_capacity = 0;  // the same of the port that serves both directions of this cable
};

enum class NvlinkShape : std::uint8_t { none, mesh, nvswitch };

// One kind of node. GPU i is device "gpui", NIC i is "nici".
struct NodeTemplate {
    std::string name;
    GpuSpec gpu;
    std::uint32_t gpus = 0;
    std::uint32_t nics = 0;
    int nic_ports = 1;  // cables of one NIC, used as one (2x200G, 4x100G)
    std::string nic_part;
    std::string nic_link;    // catalogue link that its port usually speaks
    std::string cpu_vendor;  // "intel", "amd", "nvidia", "ibm"
    std::string cpu_family;  // NCCL's word for what joins its sockets: "skylake", "sapphire_rapids"; empty: unknown
    NvlinkShape nvlink = NvlinkShape::none;
    int nvswitch_generation = 0;  // 3 and later reduce and multicast in the switch (NVLS)
    bool peer_to_peer = true;     // PCIe P2P between GPUs allowed (driver, ACS)
    bool gpu_direct = true;       // NIC reads and writes GPU memory
    std::vector<NodeDevice> devices;
    std::vector<NodeCable> cables;
};

enum class FabricKind : std::uint8_t {
    none,  // a single node
    single_switch,
    fat_tree,
    rail_optimized,
    rail_only,
    dragonfly,
    dragonfly_plus,
    torus,
    dual_plane,
    explicit_graph
};

// The spelling used in scenarios: "rail-optimized".
std::string_view to_string(FabricKind kind);

// How flows choose among equal paths. `adaptive`: sprayed evenly, trunks act as one bundle; `ecmp`: one path by hash of
// the flow label with the fabric's seed.
enum class PathChoice : std::uint8_t { adaptive, ecmp };

struct FabricSpec {
    FabricKind kind = FabricKind::none;
    LinkSpec link;  // node to leaf and, unless `trunk` says otherwise, between switches
    LinkSpec trunk;
    std::string switch_part;
    int radix = 64;  // ports of one switch at the link's rate
    Duration switch_latency;
    int tiers = 0;                // 0: as many as the size needs (1..3)
    double oversubscription = 1;  // down : up at the leaf
    PathChoice choice = PathChoice::adaptive;
    double trunk_utilisation = 1;        // share of a trunk that the path choice can fill (adaptive 0.95-0.98)
    std::uint32_t scalable_unit = 0;     // nodes on one set of leaves; 0: as many as the leaves have ports for
    std::uint32_t spines = 0;            // switches of the second tier in all; 0: the fewest that share evenly
    std::uint32_t management_ports = 0;  // cables of fabric managers and the like, each on a free port of a leaf
    std::vector<int> shape;  // torus: nodes per dimension; dragonfly: {groups, routers per group, nodes per router}
    std::uint64_t seed = 1;
    bool same_hash = false;  // switches of a Clos hash alike, without salts of their own: flows polarise
};

// The explicit graph of a scenario: every device and cable by name.
struct ExplicitGraph {
    std::vector<NodeDevice> devices;  // names as written: "node0.gpu0", "leaf1"
    std::vector<NodeCable> cables;
};

struct Cluster {
    std::string name;
    NodeTemplate node;
    std::uint32_t nodes = 1;
    FabricSpec fabric;
    ExplicitGraph graph;  // only for FabricKind::explicit_graph
};

}  // namespace fabricast
