#include "topologies/node_graph.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace fabricast::inline topologies {

namespace {

constexpr std::uint16_t none = SharedResources::none;

struct KindName {
    std::string_view prefix;
    DeviceKind kind;
};

// "bridge" is a root port or host bridge with its own duplex capacity; it forwards like a PCIe switch.
constexpr std::array<KindName, 10> kind_names = {
    {{"gpu", DeviceKind::gpu},
     {"nic", DeviceKind::nic},
     {"cpu", DeviceKind::cpu},
     {"memory", DeviceKind::host_memory},
     {"switch", DeviceKind::pcie_switch},
     {"bridge", DeviceKind::pcie_switch},
     {"nvswitch", DeviceKind::nvswitch},
     // PCIe end devices that are neither GPU nor NIC: they have one cable, so nothing is forwarded.
     {"nvme", DeviceKind::pcie_switch},
     {"capture", DeviceKind::pcie_switch},
     {"cxl", DeviceKind::pcie_switch}}};

LocalDevice parse_device(const NodeDevice& device, const std::string& node) {
    const std::size_t digits = std::min(device.name.find_first_of("0123456789"), device.name.size());
    const std::string_view prefix = std::string_view(device.name).substr(0, digits);
    const auto known = std::ranges::find(kind_names, prefix, &KindName::prefix);
    const std::string_view number = std::string_view(device.name).substr(digits);
    const auto index = number.empty() ? 0U : number_in<std::uint32_t>(number);
    if (known == kind_names.end() || !index) {
        throw ClusterError(
            "node '{}': device '{}' is none of gpuN, nicN, cpuN, memoryN, switchN, bridgeN, nvswitchN, "
            "nvmeN, captureN, cxlN",
            node, device.name);
    }
    return {device.name, known->kind, *index, device.latency, device.duplex_capacity};
}

// GPUs and NICs first, whether listed or not, so that GPU i is device i and NIC i is device gpus + i.
void add_devices(NodeGraph& graph, const NodeTemplate& node) {
    const auto listed = [&](const std::string& name) {
        const auto found = std::ranges::find(node.devices, name, &NodeDevice::name);
        NodeDevice device;
        device.name = name;
        return parse_device(found == node.devices.end() ? device : *found, node.name);
    };
    for (std::uint32_t i = 0; i < node.gpus; ++i) { graph.devices.push_back(listed("gpu" + std::to_string(i))); }
    for (std::uint32_t i = 0; i < node.nics; ++i) { graph.devices.push_back(listed("nic" + std::to_string(i))); }
    graph.gpus = node.gpus;
    graph.ends = graph.devices.size();
    for (const NodeDevice& device : node.devices) {
        LocalDevice local = parse_device(device, node.name);
        if (local.kind == DeviceKind::gpu || local.kind == DeviceKind::nic) {
            continue;  // already added above, or not in use
        }
        if (graph.device(local.name)) {
            throw ClusterError("node '{}': two devices are called '{}'", node.name, local.name);
        }
        graph.devices.push_back(std::move(local));
    }
    if (graph.devices.size() >= none) {
        throw ClusterError("node '{}': more than 65534 devices in one node", node.name);
    }
}

LinkClass class_of(LinkFamily family, DeviceKind a, DeviceKind b) {
    const bool trunk = a == DeviceKind::nvswitch && b == DeviceKind::nvswitch;
    return family == LinkFamily::nvlink    ? (trunk ? LinkClass::nvswitch_trunk : LinkClass::nvlink)
           : family == LinkFamily::c2c     ? LinkClass::nvlink
           : family == LinkFamily::pcie    ? LinkClass::pcie
           : family == LinkFamily::cpu_bus ? LinkClass::cpu_bus
           : family == LinkFamily::memory  ? LinkClass::host_memory
                                           : LinkClass::other;
}

bool carries_nvlink(DeviceKind kind) { return kind == DeviceKind::gpu || kind == DeviceKind::nvswitch; }

// GPUs and NICs beyond the count in use are left out, with their cables. Throws ClusterError for an unknown device.
bool left_out(const NodeTemplate& node, std::string_view name) {
    NodeDevice device;
    device.name = name;
    const LocalDevice local = parse_device(device, node.name);
    return (local.kind == DeviceKind::gpu && local.index >= node.gpus) ||
           (local.kind == DeviceKind::nic && local.index >= node.nics);
}

// Returns, for each cable, the capacity that both directions share at its port; 0 if they share none.
std::vector<double> add_links(NodeGraph& graph, const NodeTemplate& node) {
    std::vector<double> port_capacity;
    for (const NodeCable& cable : node.cables) {
        if (left_out(node, cable.a) || left_out(node, cable.b)) { continue; }
        const auto a = graph.device(cable.a);
        const auto b = graph.device(cable.b);
        if (!a || !b) {
            throw ClusterError("node '{}': a cable ends at '{}', which is not a device of the node", node.name,
                               a ? cable.b : cable.a);
        }
        if (a == b) { throw ClusterError("node '{}': a cable joins '{}' to itself", node.name, cable.a); }
        LocalLink link{.from = *a, .to = *b, .info = {}, .cables = cable.count};
        port_capacity.push_back(cable.duplex_capacity);
        const DeviceKind kind_a = graph.devices[*a].kind;
        const DeviceKind kind_b = graph.devices[*b].kind;
        link.info.capacity = goodput(cable.link) * cable.count;
        link.info.cls = class_of(cable.link.family, kind_a, kind_b);
        link.nvlink = cable.link.family == LinkFamily::nvlink && carries_nvlink(kind_a) && carries_nvlink(kind_b);
        for (int direction = 0; direction < 2; ++direction) {
            link.info.latency = cable.link.latency + graph.devices[link.to].latency;
            graph.links.push_back(link);
            std::swap(link.from, link.to);
        }
    }
    return port_capacity;
}

SharedResources add_shared_resources(NodeGraph& graph, const std::vector<double>& port_capacity) {
    SharedResources shared{std::vector<std::uint16_t>(graph.devices.size(), none),
                           std::vector<std::uint16_t>(graph.links.size(), none)};
    const auto add = [&](std::size_t from, std::size_t to, double capacity, LinkClass cls) {
        graph.links.push_back({.from = static_cast<std::uint16_t>(from),
                               .to = static_cast<std::uint16_t>(to),
                               .info = {capacity, {}, cls},
                               .resource = true});
        return static_cast<std::uint16_t>(graph.links.size() - 1);
    };
    for (std::size_t d = 0; d < graph.devices.size(); ++d) {
        if (graph.devices[d].duplex_capacity > 0) {
            const bool memory = graph.devices[d].kind == DeviceKind::host_memory;
            shared.of_device[d] =
                add(d, d, graph.devices[d].duplex_capacity, memory ? LinkClass::host_memory : LinkClass::pcie);
        }
    }
    for (std::size_t cable = 0; cable < port_capacity.size(); ++cable) {
        if (port_capacity[cable] > 0) {
            const LocalLink& link = graph.links[2 * cable];
            shared.of_link[2 * cable] = shared.of_link[2 * cable + 1] =
                add(link.from, link.to, port_capacity[cable], link.info.cls);
        }
    }
    return shared;
}

}  // namespace

std::pair<NodeGraph, SharedResources> make_node_graph(const NodeTemplate& node) {
    NodeGraph graph;
    add_devices(graph, node);
    const std::vector<double> port_capacity = add_links(graph, node);
    SharedResources shared = add_shared_resources(graph, port_capacity);
    if (graph.links.size() >= none) { throw ClusterError("node '{}': more than 65534 links in one node", node.name); }
    return {std::move(graph), std::move(shared)};
}

std::optional<std::uint16_t> NodeGraph::device(std::string_view name) const {
    const auto found = std::ranges::find(devices, name, &LocalDevice::name);
    return found == devices.end() ? std::nullopt : std::optional(static_cast<std::uint16_t>(found - devices.begin()));
}

int NodeGraph::bridges_crossed(const LocalPath& path) const {
    int crossed = 0;
    for (const std::uint16_t l : span(path)) {
        const LocalLink& link = links[l];
        crossed += !link.resource && devices[link.to].kind == DeviceKind::cpu ? 1 : 0;
    }
    return crossed;
}

}  // namespace fabricast::inline topologies
