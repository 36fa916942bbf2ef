#pragma once
// Devices and links by number, and the paths between devices.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/enum_name.hpp"
#include "base/error.hpp"
#include "base/units.hpp"

namespace fabricast::inline topologies {

enum class DeviceId : std::uint32_t {};
enum class LinkId : std::uint32_t {};  // one direction of a cable, a trunk bundle, or a shared resource

enum class DeviceKind : std::uint8_t { gpu, nic, cpu, pcie_switch, nvswitch, fabric_switch, host_memory };
inline constexpr std::array<std::string_view, 7> device_kind_names = {
    "gpu", "nic", "cpu", "pcie-switch", "nvswitch", "fabric-switch", "host-memory"};
inline std::string_view to_string(DeviceKind kind) { return enum_name(device_kind_names, kind); }

// The kind of hardware of a link, for reports ("bytes and busy time per link class").
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
inline constexpr std::array<std::string_view, 11> link_class_names = {
    "nvlink",     "nvswitch-trunk", "pcie",   "cpu-bus", "host-memory", "nic-port",
    "leaf-spine", "spine-core",     "global", "torus",   "other"};
inline std::string_view to_string(LinkClass cls) { return enum_name(link_class_names, cls); }
// Joins two nodes of the cluster or two switches.
constexpr bool between_nodes(LinkClass cls) { return cls >= LinkClass::nic_port; }

constexpr std::uint32_t index(DeviceId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(LinkId id) { return static_cast<std::uint32_t>(id); }

struct LinkInfo {
    double capacity = 0;  // payload bytes per second of this direction (goodput of the part; trunks: sum of cables)
    Duration latency;     // including that of the switch or device at its end
    LinkClass cls = LinkClass::other;
};

// The two devices that a link joins.
struct LinkEnds {
    DeviceId from{}, to{};
    std::uint32_t cables = 1;  // bundled into this one link
    bool resource = false;     // no cable but capacity shared by both directions: of a port or (from == to) a device
};

// One tier of the fabric, in physical switches and cables, even if paths treat several of them as one.
struct FabricTier {
    std::string name;  // "leaf", "spine", "core", "router", "group" (global cables)
    std::uint64_t switches = 0;
    std::uint64_t cables = 0;  // to the tier above, or inside this tier
};

// The transport of a connection. `automatic` is NCCL's choice: inside a node NVLink, else PCIe peer to peer if the node
// allows it, else staging through host memory; between nodes the network.
enum class PathKind : std::uint8_t { automatic, nvlink, p2p, host_staged, network };

inline constexpr std::uint16_t any_nic = 0xffff;

// One directed connection, and the options that determine its path.
struct PathQuery {
    DeviceId src{};
    DeviceId dst{};
    std::uint16_t src_nic = any_nic;  // NIC index in the sender's node; any_nic: the nearest to the GPU
    std::uint16_t dst_nic = any_nic;
    std::uint32_t flow_label = 0;  // entropy for ECMP
    PathKind kind = PathKind::automatic;
    bool gpu_direct = true;  // false: network traffic is staged through host memory
    bool forwarded = true;   // a GPU near a far NIC may forward over NVLink (PXN); false: PCIe from GPU to NIC
};

inline constexpr std::size_t max_path_links = 48;

// A path: links in order. A shared resource (duplex root port, host memory) appears next to the cables that it serves,
// and twice if the path touches it twice (staging through the host).
struct Path {
    std::array<LinkId, max_path_links> links;
    std::size_t count = 0;
    Duration latency;  // sum over the links

    std::span<const LinkId> span() const& { return {links.data(), count}; }
    std::span<const LinkId> span() const&& = delete;  // the span would outlive the path
};

// No path joins the two devices; the message names both and the last link reached.
struct Unreachable : ErrorWith<ExitCode::cannot_end> {
    using ErrorWith::ErrorWith;
};

}  // namespace fabricast::inline topologies
