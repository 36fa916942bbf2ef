#include "validate/diagnose/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fabricast::inline diagnosis {
namespace {

bool several_nodes(const Suspect& s) { return s.cluster.nodes > 1 && s.cluster.node.nics > 0; }
bool is_nic(std::string_view name) { return name.starts_with("nic"); }
bool is_gpu(std::string_view name) { return name.starts_with("gpu"); }
bool is_pcie(const NodeCable& cable) { return cable.link.family == LinkFamily::pcie; }

Rate divided(const Rate& rate, int parts) {
    return Rate::per_second(static_cast<std::int64_t>(rate.bytes_per_second() / parts));
}

// Whether the cable connects a NIC or GPU to the PCIe tree.
bool is_slot(const NodeCable& cable) {
    return is_pcie(cable) && (is_nic(cable.a) || is_gpu(cable.a) || is_nic(cable.b) || is_gpu(cable.b));
}

// The end of a slot's cable that is not the NIC or GPU.
std::string& parent_of(NodeCable& cable) { return is_nic(cable.a) || is_gpu(cable.a) ? cable.b : cable.a; }

bool half_width(Suspect& s, bool (*whose)(std::string_view)) {
    bool any = false;
    for (NodeCable& cable : s.cluster.node.cables) {
        if (is_pcie(cable) && (whose(cable.a) || whose(cable.b))) {
            cable.link.rate = divided(cable.link.rate, 2);
            any = true;
        }
    }
    return any;
}

bool nic_slots_at_x8(Suspect& s, double /*degree*/) { return several_nodes(s) && half_width(s, is_nic); }

bool gpu_slots_at_x8(Suspect& s, double /*degree*/) { return half_width(s, is_gpu); }

// The CPU above a device in the PCIe tree; "" if there is none.
std::string cpu_of(const NodeTemplate& node, std::string device) {
    for (int steps = 0; steps < 4 && !device.starts_with("cpu"); ++steps) {
        const NodeCable* up = nullptr;
        for (const NodeCable& cable : node.cables) {
            const bool touches = cable.a == device || cable.b == device;
            const std::string& other = cable.a == device ? cable.b : cable.a;
            if (touches && is_pcie(cable) && (other.starts_with("cpu") || other.starts_with("switch"))) { up = &cable; }
        }
        if (up == nullptr) { return ""; }
        device = up->a == device ? up->b : up->a;
    }
    return device.starts_with("cpu") ? device : "";
}

// Moves the NICs near the first GPU to the root ports of another CPU.
bool nics_on_the_other_socket(Suspect& s, double /*degree*/) {
    NodeTemplate& node = s.cluster.node;
    if (!several_nodes(s)) { return false; }
    const std::string near = cpu_of(node, "gpu0");
    std::set<std::string> others;
    for (const NodeDevice& device : node.devices) {
        if (device.name.starts_with("cpu") && device.name != near) { others.insert(device.name); }
    }
    if (near.empty() || others.empty()) { return false; }
    bool any = false;
    for (NodeCable& cable : node.cables) {
        std::string& parent = is_nic(cable.a) ? cable.b : cable.a;
        if (is_pcie(cable) && (is_nic(cable.a) || is_nic(cable.b)) && cpu_of(node, parent) == near) {
            parent = *others.begin();
            any = true;
        }
    }
    return any;
}

template <class Which> void remove_devices(NodeTemplate& node, const Which& which) {
    std::erase_if(node.devices, [&](const NodeDevice& d) { return which(d.name); });
    std::erase_if(node.cables, [&](const NodeCable& c) { return which(c.a) || which(c.b); });
}

// Removes the last `degree` NICs of each node. Of several, at least two must be left; otherwise it is `one_nic_only`.
bool rails_missing(Suspect& s, double degree) {
    NodeTemplate& node = s.cluster.node;
    const auto missing = static_cast<std::uint32_t>(degree);
    if (!several_nodes(s) || node.nics < 2 || (missing > 1 && node.nics < missing + 2)) { return false; }
    for (std::uint32_t i = node.nics - missing; i < node.nics; ++i) {
        remove_devices(node, [gone = fmt::format("nic{}", i)](const std::string& name) { return name == gone; });
    }
    node.nics -= missing;
    return true;
}

// A part of one node is slow, and NCCL does not know: it plans as if the part had its full rate. The closed forms
// assume that all nodes are alike, so the flow engine replays this case.
void slow_part(Suspect& s, LinkChange change, double share) {
    change.share = share;
    s.scenario.events.push_back(std::move(change));
    s.scenario.engine = Flow{};
}

// Places the slow NIC at the end of the chain of nodes, where trees have roots and leaves, or in the middle.
bool slow_nic(Suspect& s, double share) {
    const std::uint32_t node = s.place == 0 ? 0 : s.cluster.nodes / 2;
    if (!several_nodes(s) || (s.place > 0 && s.cluster.nodes < 3)) { return false; }
    LinkChange change;
    change.device = fmt::format("node{}.nic0", node);
    slow_part(s, std::move(change), share);
    return true;
}

// Slows the links between the first GPU and its peers: all its NVLinks, or else its PCIe slot.
bool slow_gpu_link(Suspect& s, double share) {
    const NodeTemplate& node = s.cluster.node;
    const bool nvlink = node.nvlink != NvlinkShape::none;
    bool any = false;
    for (const NodeCable& cable : node.cables) {
        const bool joins =
            (cable.a == "gpu0" || cable.b == "gpu0") && nvlink == (cable.link.family == LinkFamily::nvlink);
        if (node.gpus < 2 || !joins) { continue; }
        LinkChange change;
        if (nvlink) {
            const std::string bundle = cable.count > 1 ? fmt::format(" (x{})", cable.count) : "";
            for (const auto& [from, to] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
                change.link = fmt::format("node0.{} -> node0.{}{}", from, to, bundle);
                slow_part(s, change, share);
            }
        } else {
            change.cable = {"node0." + cable.a, "node0." + cable.b};
            slow_part(s, std::move(change), share);
        }
        any = true;
    }
    return any;
}

bool one_nic_only(Suspect& s, double /*degree*/) {
    NodeTemplate& node = s.cluster.node;
    if (!several_nodes(s) || node.nics < 3) { return false; }
    remove_devices(node, [](const std::string& name) { return is_nic(name) && name != "nic0"; });
    node.nics = 1;
    node.nic_ports = 1;
    return true;
}

bool nvls_is_off(Suspect& s, double /*degree*/) {
    if (s.cluster.node.nvswitch_generation < 3 || s.scenario.library.env.contains("NCCL_NVLS_ENABLE")) { return false; }
    s.scenario.library.env["NCCL_NVLS_ENABLE"] = "0";
    s.scenario.library.env.erase("NCCL_ALGO");
    return true;
}

bool peers_are_off(Suspect& s, double /*degree*/) {
    // Not for NVLink: the planner would still use its links, and what NCCL does instead is not modelled.
    const bool nvlink = s.cluster.node.nvlink != NvlinkShape::none;
    if (nvlink || s.cluster.node.gpus < 2 || s.scenario.library.env.contains("NCCL_P2P_DISABLE")) { return false; }
    s.scenario.library.env["NCCL_P2P_DISABLE"] = "1";
    s.cluster.node.peer_to_peer = false;
    return true;
}

// Access control (ACS) sends peer traffic up to the root port and down again, so all slots below a switch share its
// uplink in each direction. Modelled as a fixed share, because all slots are equally busy in a collective.
bool access_control(Suspect& s, double /*degree*/) {
    NodeTemplate& node = s.cluster.node;
    std::map<std::string, int> below;
    for (NodeCable& cable : node.cables) {
        if (is_slot(cable)) { ++below[parent_of(cable)]; }
    }
    const bool used = several_nodes(s) || node.nvlink == NvlinkShape::none;
    bool any = false;
    for (NodeCable& cable : node.cables) {
        const std::string& parent = parent_of(cable);
        if (is_slot(cable) && used && parent.starts_with("switch") && below[parent] > 1) {
            cable.link.rate = divided(cable.link.rate, below[parent]);
            any = true;
        }
    }
    return any;
}

bool small_packets(Suspect& s, double /*degree*/) {
    LinkSpec& link = s.cluster.fabric.link;
    constexpr Bytes wrong{1024};
    const bool has_mtu = link.family == LinkFamily::infiniband || link.family == LinkFamily::ethernet;
    if (!several_nodes(s) || !has_mtu || link.framing.payload <= wrong) { return false; }
    link.framing.payload = wrong;
    s.cluster.fabric.trunk.framing.payload = std::min(s.cluster.fabric.trunk.framing.payload, wrong);
    return true;
}

bool tcp(Suspect& s, double /*degree*/) {
    if (!several_nodes(s) || s.scenario.library.network_plugin == "sockets") { return false; }
    s.scenario.library.network_plugin = "sockets";
    s.scenario.library.env.erase("NCCL_NET");
    return true;
}

bool no_gpu_direct(Suspect& s, double /*degree*/) {
    if (!several_nodes(s) || !s.cluster.node.gpu_direct) { return false; }
    s.cluster.node.gpu_direct = false;
    s.scenario.library.env["NCCL_NET_GDR_LEVEL"] = "LOC";
    return true;
}

bool one_process(Suspect& s, double /*degree*/) {
    if (s.scenario.launch.mode != LaunchMode::process || s.cluster.node.gpus < 2) { return false; }
    s.scenario.launch.mode = LaunchMode::thread;
    return true;
}

bool framework_loop(Suspect& s, double /*degree*/) {
    if (s.scenario.launch.mode == LaunchMode::framework) { return false; }
    s.scenario.launch.mode = LaunchMode::framework;
    return true;
}

}  // namespace

const std::vector<double>& first_degrees(Degree degree) {
    static const std::map<Degree, std::vector<double>> degrees = {
        {Degree::none, {1}}, {Degree::share, {0.75, 0.5, 0.33, 0.2, 0.1, 0.05}}, {Degree::count, {1, 2, 3, 4, 5, 6}}};
    return degrees.at(degree);
}

std::string words_of(const Cause& cause, double degree) {
    switch (cause.degree) {
        case Degree::none: return std::string(cause.words);
        case Degree::share: return fmt::format("{}, at about {:.0f} % of its rate", cause.words, 100 * degree);
        case Degree::count: return fmt::format("{} ({:.0f} of a node's)", cause.words, degree);
    }
    return std::string(cause.words);
}

const std::vector<Cause>& causes() {
    static const std::vector<Cause> all = {
        {"nic-numa", "the NICs in use hang off another CPU socket than the GPUs",
         "nvidia-smi topo -m; NCCL_DEBUG=INFO: which HCA each rank took", nics_on_the_other_socket},
        {"nic-x8", "the NICs' PCIe slots run at x8 instead of x16", "lspci -vv: LnkSta of each NIC", nic_slots_at_x8},
        {"gpu-x8", "the GPUs' PCIe slots run at x8 instead of x16", "nvidia-smi -q: Link Width", gpu_slots_at_x8},
        {"rail-missing", "rails are missing: ports are down or left out of NCCL_IB_HCA",
         "ibstat; NCCL_DEBUG=INFO: NET/IB devices", rails_missing, Degree::count},
        {"slow-nic", "one NIC, its cable or its slot is slow",
         "ibstat: Rate; perfquery: errors and waits, NIC by NIC; lspci -vv: LnkSta", slow_nic, Degree::share, 2},
        {"slow-gpu-link", "one GPU's links are slower than its peers'",
         "nvidia-smi nvlink --status of each GPU; nvidia-smi -q: Link Width", slow_gpu_link, Degree::share},
        {"one-nic", "only one NIC of a node is used", "NCCL_IB_HCA; NCCL_DEBUG=INFO: NET/IB devices", one_nic_only},
        {"no-nvls", "a ring or tree runs where NVLS was due",
         "NCCL_NVLS_ENABLE, NCCL_ALGO; fabric manager; NCCL_DEBUG=INFO: NVLS", nvls_is_off},
        {"p2p-off", "GPUs do not reach each other: peer-to-peer is off",
         "NCCL_P2P_DISABLE, NCCL_P2P_LEVEL; nvidia-smi topo -p2p r", peers_are_off},
        {"acs", "PCIe access control sends peer traffic through the root port", "lspci -vv: ACSCtl; IOMMU settings",
         access_control},
        {"mtu", "packets of 1024 bytes: the wrong MTU", "ibv_devinfo: active_mtu; the interface's MTU", small_packets},
        {"tcp", "TCP sockets carry what RDMA should", "NCCL_DEBUG=INFO: NET/Socket instead of NET/IB; NCCL_IB_DISABLE",
         tcp},
        {"no-gpu-direct", "GPUDirect RDMA is off: data is staged through host memory",
         "lsmod: nvidia_peermem; NCCL_NET_GDR_LEVEL; NCCL_DEBUG=INFO: GDRDMA", no_gpu_direct},
        {"threads", "one process drives all GPUs of a node, and its launches take their turn",
         "nccl-tests -g; one process a GPU", one_process},
        {"framework", "a framework's loop waits for each call", "time back-to-back calls, as nccl-tests does",
         framework_loop},
    };
    return all;
}

}  // namespace fabricast::inline diagnosis
