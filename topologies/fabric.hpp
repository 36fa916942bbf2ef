#pragma once
// The cluster as engines see it: directed links with capacity and latency, and a path for each pair of devices.
// Nothing is materialised: ids are arithmetic over (node, local index) and over the fabric generator, so a million GPUs
// cost one node template. Immutable once built; safe to share between threads.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/units.hpp"
#include "topologies/cluster.hpp"

namespace fabricast {

enum class DeviceId : std::uint32_t {};
enum class LinkId : std::uint32_t {};  // one direction of a cable, a trunk bundle, or a shared resource

enum class DeviceKind : std::uint8_t { gpu, nic, cpu, pcie_switch, nvswitch, fabric_switch, host_memory };

// Which kind of hardware a link is, for reports ("bytes and busy time per link class").
enum class LinkClass : std::uint8_t {
    nvlink,
    nvswitch_trunk,
    pcie,
    cpu_bus,
    host_memory,
    nic_port,
    leaf_spine,
    spine_core,
    global,
    torus,
    other
};

// "gpu", "pcie-switch"; "nvlink", "leaf-spine": as exports and reports spell them.
std::string_view word(DeviceKind kind);
std::string_view word(LinkClass cls);

struct LinkInfo {
    double capacity = 0;  // payload bytes per second of this direction (goodput of the part; trunks: sum of members)
    Duration latency;     // including the switch or device behind it
    LinkClass cls = LinkClass::other;
};

// The two devices a link joins.
struct LinkEnds {
    DeviceId from{}, to{};
    std::uint32_t cables = 1;  // bundled into this one link
    bool resource = false;     // no cable but a service that both directions share: of a port, or (from == to) a device
};

// One tier of the fabric as it is bought: real switches and real cables, however paths bundle them.
struct FabricTier {
    std::string name;  // "leaf", "spine", "core", "router", "group" (global cables)
    std::uint64_t switches = 0;
    std::uint64_t cables = 0;  // to the tier above, or among themselves
};

// How a connection travels. `automatic` takes what NCCL would: NVLink, else PCIe peer to peer where the node allows it,
// else staging through host memory; the network between nodes.
enum class Transport : std::uint8_t { automatic, nvlink, p2p, host_staged, network };

inline constexpr std::uint16_t any_nic = 0xffff;

// One directed connection, and what picks its path.
struct PathQuery {
    DeviceId src{};
    DeviceId dst{};
    std::uint16_t src_nic = any_nic;  // local NIC index at the sender (rail); any_nic: the nearest to the GPU
    std::uint16_t dst_nic = any_nic;
    std::uint32_t flow_label = 0;  // entropy for ECMP
    Transport transport = Transport::automatic;
    bool gpu_direct = true;  // false: network traffic is staged through host memory
    bool forwarded = true;   // a GPU beside a far NIC may forward over NVLink (PXN); false: the NIC's own DMA over PCIe
};

inline constexpr std::size_t max_path_links = 48;

// A path: links in order. A shared resource (duplex root port, host memory) may appear beside the cables it serves, and
// twice where the path touches it twice (staging through the host).
struct Path {
    std::array<LinkId, max_path_links> links;
    std::size_t count = 0;
    Duration latency;  // sum over the links

    std::span<const LinkId> span() const& { return {links.data(), count}; }
    std::span<const LinkId> span() const&& = delete;  // it would outlive the path
};

// No path joins the two devices; the message names both and the last device reached.
struct Unreachable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Fabric {
public:
    // Builds the link arithmetic and the per-template path tables. Throws ClusterError where the shape cannot be wired
    // (radix exceeded, no such NIC, disconnected explicit graph).
    explicit Fabric(Cluster cluster);
    ~Fabric();
    Fabric(const Fabric&);
    Fabric(Fabric&&) noexcept;
    Fabric& operator=(const Fabric&) = delete;
    Fabric& operator=(Fabric&&) = delete;

    const Cluster& cluster() const;
    const NodeTemplate& node() const;  // the one template of a homogeneous cluster

    std::uint32_t node_count() const;
    std::uint32_t gpus_per_node() const;
    std::uint32_t nics_per_node() const;
    std::uint32_t gpu_count() const;  // ranks; rank r is GPU r % g of node r / g

    DeviceId gpu(std::uint32_t rank) const;
    DeviceId nic(std::uint32_t node, std::uint32_t index) const;
    DeviceId nvswitch(std::uint32_t node, std::uint32_t index = 0) const;  // the node's NVSwitch plane as one device
    DeviceKind kind(DeviceId device) const;
    std::uint32_t node_of(DeviceId device) const;
    std::uint32_t local_index(DeviceId device) const;  // "gpu5" -> 5
    std::string device_name(DeviceId device) const;    // "node3.gpu5", "leaf1"
    DeviceId device(std::string_view name) const;      // throws ClusterError with the nearest name
    std::uint32_t device_count() const;                // ids are 0 .. device_count - 1

    // The NIC that NCCL gives to this GPU, and all NICs as near to it; both are indices inside the node.
    std::uint16_t nearest_nic(std::uint32_t local_gpu) const;
    std::span<const std::uint16_t> near_nics(std::uint32_t local_gpu) const;

    std::uint32_t link_count() const;  // ids are 0 .. link_count - 1
    // Node n's devices and links are the n-th such many of the ids, NIC ports among the links; like ones have like
    // places.
    std::uint32_t node_device_count() const;
    std::uint32_t node_link_count() const;
    LinkInfo link(LinkId id) const;
    LinkEnds ends(LinkId id) const;
    std::string link_name(LinkId id) const;  // "node0.gpu3 -> node0.nvswitch", "leaf1 -> spine0 (x16)"

    std::vector<FabricTier> tiers() const;  // leaves first; empty for a single node

    // Throws Unreachable. Deterministic: the same query gives the same path. Some tens of nanoseconds.
    Path path(const PathQuery& query) const;
    // The same into the caller's buffer, replacing what it held. To or from a switch it walks the trunks (milliseconds
    // in a large fabric).
    void path(const PathQuery& query, Path& into) const;

private:
    bool switch_path(const PathQuery& query, Path& into) const;

    struct Tables;
    std::shared_ptr<const Tables> tables_;
};

}  // namespace fabricast
