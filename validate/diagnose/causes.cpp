#include "validate/diagnose/causes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace fabricast {
namespace {

bool several_nodes(const Suspect& s) { return s.cluster.nodes > 1 && s.cluster.node.nics > 0; }
bool is_nic(std::string_view name) { return name.starts_with("nic"); }
bool is_gpu(std::string_view name) { return name.starts_with("gpu"); }
bool is_pcie(const NodeCable& cable) { return cable.link.family == LinkFamily::pcie; }

Rate divided(const Rate& rate, int parts) {
    return Rate::per_second(static_cast<std::int64_t>(rate.bytes_per_second() / parts));
}

// The cable between a NIC or GPU and the PCIe tree.
bool is_slot(const NodeCable& cable) {
    return is_pcie(cable) && (is_nic(cable.a) || is_gpu(cable.a) || is_nic(cable.b) || is_gpu(cable.b));
}

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

bool nic_slots_at_x8(Suspect& s) { return several_nodes(s) && half_width(s, is_nic); }

bool gpu_slots_at_x8(Suspect& s) { return half_width(s, is_gpu); }

// The CPU above a device; "" where none is.
std::string cpu_of(const NodeTemplate& node, std::string device) {
    for (int steps = 0; steps < 4 && !device.starts_with("cpu"); ++steps) {
        const NodeCable* up = nullptr;
        for (const NodeCable& cable : node.cables) {
            const bool touches = cable.a == device || cable.b == device;
            const std::string& other = cable.a == device ? cable.b : cable.a;
            if (touches && is_pcie(cable) && (other.starts_with("cpu") || other.starts_with("switch"))) {
                up = &cable;
            }
        }
        if (up == nullptr) {
            return "";
        }
        device = up->a == device ? up->b : up->a;
    }
    return device.starts_with("cpu") ? device : "";
}

// The NICs near the first GPU move to the root ports of another CPU.
bool nics_on_the_other_socket(Suspect& s) {
    NodeTemplate& node = s.cluster.node;
    if (!several_nodes(s)) {
        return false;
    }
    std::set<std::string> cpus;
    for (const NodeDevice& device : node.devices) {
        if (device.name.starts_with("cpu")) {
            cpus.insert(device.name);
        }
    }
    const std::string near = cpu_of(node, "gpu0");
    const auto far = std::ranges::find_if(cpus, [&](const std::string& cpu) { return cpu != near; });
    if (near.empty() || far == cpus.end()) {
        return false;
    }
    bool any = false;
    for (NodeCable& cable : node.cables) {
        std::string& device = is_nic(cable.a) ? cable.a : cable.b;
        std::string& parent = is_nic(cable.a) ? cable.b : cable.a;
        if (is_pcie(cable) && is_nic(device) && cpu_of(node, parent) == near) {
            parent = *far;
            any = true;
        }
    }
    return any;
}

bool one_rail_missing(Suspect& s) {
    NodeTemplate& node = s.cluster.node;
    if (!several_nodes(s) || node.nics < 2) {
        return false;
    }
    const std::string last = "nic" + std::to_string(node.nics - 1);
    std::erase_if(node.devices, [&](const NodeDevice& d) { return d.name == last; });
    std::erase_if(node.cables, [&](const NodeCable& c) { return c.a == last || c.b == last; });
    --node.nics;
    return true;
}

bool one_nic_only(Suspect& s) {
    NodeTemplate& node = s.cluster.node;
    if (!several_nodes(s) || node.nics < 3) {
        return false;
    }
    const auto other = [](const std::string& name) { return is_nic(name) && name != "nic0"; };
    std::erase_if(node.devices, [&](const NodeDevice& d) { return other(d.name); });
    std::erase_if(node.cables, [&](const NodeCable& c) { return other(c.a) || other(c.b); });
    node.nics = 1;
    node.nic_ports = 1;
    return true;
}

bool nvls_is_off(Suspect& s) {
    if (s.cluster.node.nvswitch_generation < 3 || s.scenario.library.env.contains("NCCL_NVLS_ENABLE")) {
        return false;
    }
    s.scenario.library.env["NCCL_NVLS_ENABLE"] = "0";
    s.scenario.library.env.erase("NCCL_ALGO");
    return true;
}

bool peers_are_off(Suspect& s) {
    // Over NVLink the planner keeps its links: what NCCL then does is not modelled.
    const bool nvlink = s.cluster.node.nvlink != NvlinkShape::none;
    if (nvlink || s.cluster.node.gpus < 2 || s.scenario.library.env.contains("NCCL_P2P_DISABLE")) {
        return false;
    }
    s.scenario.library.env["NCCL_P2P_DISABLE"] = "1";
    s.cluster.node.peer_to_peer = false;
    return true;
}

// Access control sends peer traffic up to the root port and down again: everything below a switch shares its uplink in
// each direction. As a static share, since all slots are busy alike in a collective.
bool access_control(Suspect& s) {
    NodeTemplate& node = s.cluster.node;
    std::map<std::string, int> below;
    for (const NodeCable& cable : node.cables) {
        if (is_slot(cable)) {
            ++below[is_nic(cable.a) || is_gpu(cable.a) ? cable.b : cable.a];
        }
    }
    bool any = false;
    for (NodeCable& cable : node.cables) {
        const std::string& parent = is_nic(cable.a) || is_gpu(cable.a) ? cable.b : cable.a;
        const bool used = several_nodes(s) || node.nvlink == NvlinkShape::none;
        if (is_slot(cable) && used && parent.starts_with("switch") && below[parent] > 1) {
            cable.link.rate = divided(cable.link.rate, below[parent]);
            any = true;
        }
    }
    return any;
}

bool small_packets(Suspect& s) {
    LinkSpec& link = s.cluster.fabric.link;
    constexpr Bytes wrong{1024};
    const bool has_mtu = link.family == LinkFamily::infiniband || link.family == LinkFamily::ethernet;
    if (!several_nodes(s) || !has_mtu || link.framing.payload <= wrong) {
        return false;
    }
    link.framing.payload = wrong;
    s.cluster.fabric.trunk.framing.payload = std::min(s.cluster.fabric.trunk.framing.payload, wrong);
    return true;
}

bool tcp(Suspect& s) {
    if (!several_nodes(s) || s.scenario.library.transport == "sockets") {
        return false;
    }
    s.scenario.library.transport = "sockets";
    s.scenario.library.env.erase("NCCL_NET");
    return true;
}

bool no_gpu_direct(Suspect& s) {
    if (!several_nodes(s) || !s.cluster.node.gpu_direct) {
        return false;
    }
    s.cluster.node.gpu_direct = false;
    s.scenario.library.env["NCCL_NET_GDR_LEVEL"] = "LOC";
    return true;
}

bool one_process(Suspect& s) {
    if (s.scenario.launch.mode != LaunchMode::process || s.cluster.node.gpus < 2) {
        return false;
    }
    s.scenario.launch.mode = LaunchMode::thread;
    return true;
}

bool framework_loop(Suspect& s) {
    if (s.scenario.launch.mode == LaunchMode::framework) {
        return false;
    }
    s.scenario.launch.mode = LaunchMode::framework;
    return true;
}

}  // namespace

const std::vector<Cause>& causes() {
    static const std::vector<Cause> all = {
        {"nic-numa", "the NICs in use hang off another CPU socket than the GPUs",
         "nvidia-smi topo -m; NCCL_DEBUG=INFO: which HCA each rank took", nics_on_the_other_socket},
        {"nic-x8", "the NICs' PCIe slots run at x8 instead of x16", "lspci -vv: LnkSta of each NIC", nic_slots_at_x8},
        {"gpu-x8", "the GPUs' PCIe slots run at x8 instead of x16", "nvidia-smi -q: Link Width", gpu_slots_at_x8},
        {"rail-missing", "one rail is missing: a port is down or left out of NCCL_IB_HCA",
         "ibstat; NCCL_DEBUG=INFO: NET/IB devices", one_rail_missing},
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

}  // namespace fabricast
