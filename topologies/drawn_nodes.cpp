#include "topologies/drawn_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

namespace {

struct NodeName {
    std::uint32_t node = 0;
    std::string local;
};

// "node3.gpu5" -> 3, "gpu5".
std::optional<NodeName> split(const std::string& name) {
    const std::size_t dot = name.find('.');
    const auto node = number_after(std::string_view(name).substr(0, dot), "node");
    return node && dot != std::string::npos ? std::optional(NodeName{*node, name.substr(dot + 1)}) : std::nullopt;
}

struct DrawnNode {
    std::map<std::string, NodeDevice> devices;
    std::vector<NodeCable> cables;
};

// Equal for cables with the same ends and properties, in whichever order their ends were written.
auto cable_key(const NodeCable& cable) {
    return std::tuple(std::min(cable.a, cable.b), std::max(cable.a, cable.b), cable.link.rate.num, cable.link.rate.den,
                      cable.link.latency, cable.count);
}

std::vector<decltype(cable_key(NodeCable{}))> cable_keys(const DrawnNode& node) {
    std::vector<decltype(cable_key(NodeCable{}))> keys;
    for (const NodeCable& cable : node.cables) { keys.push_back(cable_key(cable)); }
    std::sort(keys.begin(), keys.end());
    return keys;
}

// The number of devices "kind0", "kind1", ... Throws ClusterError if there is a gap in the numbers.
std::uint32_t count_numbered(const DrawnNode& node, std::string_view kind) {
    std::set<std::uint32_t> numbers;
    for (const auto& [name, device] : node.devices) {
        if (const auto number = number_after(name, kind)) { numbers.insert(*number); }
    }
    if (!numbers.empty() && *numbers.rbegin() + 1 != numbers.size()) {
        throw ClusterError("the graph's nodes number their {}s with gaps; from 0 on, please", kind);
    }
    return static_cast<std::uint32_t>(numbers.size());
}

NvlinkShape nvlink_shape(const DrawnNode& node) {
    NvlinkShape shape = NvlinkShape::none;
    for (const NodeCable& cable : node.cables) {
        if (cable.link.family == LinkFamily::nvlink) {
            const bool to_switch = cable.a.starts_with("nvswitch") || cable.b.starts_with("nvswitch");
            shape = to_switch ? NvlinkShape::nvswitch : shape == NvlinkShape::none ? NvlinkShape::mesh : shape;
        }
    }
    return shape;
}

ClusterError unlike(const std::string& node, const char* how, const std::string& what) {
    return ClusterError(fmt::format("the nodes of a cluster are alike, but {} {} {}, unlike node0", node, how, what));
}

class Folder {
public:
    explicit Folder(Cluster cluster) : cluster_(std::move(cluster)) {}

    Cluster fold() {
        take_devices();
        take_cables();
        if (nodes_.empty()) {
            throw ClusterError("the graph names no node's device (node0.gpu0), and the cluster no node template");
        }
        check_alike();
        make_template();
        return std::move(cluster_);
    }

private:
    void take_devices() {
        std::vector<NodeDevice> fabric;
        for (NodeDevice& device : cluster_.graph.devices) {
            if (const auto name = split(device.name)) {
                device.name = name->local;
                nodes_[name->node].devices[name->local] = std::move(device);
            } else {
                fabric.push_back(std::move(device));
            }
        }
        cluster_.graph.devices = std::move(fabric);
    }

    void take_cables() {
        std::vector<NodeCable> fabric;
        for (NodeCable& cable : cluster_.graph.cables) {
            const auto a = split(cable.a);
            const auto b = split(cable.b);
            for (const auto& end : {a, b}) {  // which may be a device that is named nowhere else
                if (end) { nodes_[end->node].devices[end->local].name = end->local; }
            }
            if (a && b && a->node == b->node) {
                cable.a = a->local;
                cable.b = b->local;
                nodes_[a->node].cables.push_back(std::move(cable));
            } else {
                fabric.push_back(std::move(cable));
            }
        }
        cluster_.graph.cables = std::move(fabric);
    }

    void check_alike() const {
        const DrawnNode& first = nodes_.begin()->second;
        std::uint32_t expected = 0;
        for (const auto& [number, node] : nodes_) {
            const std::string name = "node" + std::to_string(number);
            if (number != expected++) { throw ClusterError("the graph has {} but no node{}", name, number - 1); }
            for (const auto& [device, row] : first.devices) {
                if (!node.devices.contains(device)) { throw unlike(name, "has no", device); }
            }
            if (node.devices.size() != first.devices.size() || cable_keys(node) != cable_keys(first)) {
                throw unlike(name, "has other", "devices or cables");
            }
        }
    }

    void make_template() {
        const DrawnNode& first = nodes_.begin()->second;
        NodeTemplate& node = cluster_.node;
        node.name = "the graph's node";
        node.gpus = count_numbered(first, "gpu");
        node.nics = count_numbered(first, "nic");
        node.nvlink = nvlink_shape(first);
        node.cables = first.cables;
        for (const auto& [name, device] : first.devices) { node.devices.push_back(device); }
        cluster_.nodes = static_cast<std::uint32_t>(nodes_.size());
        if (cluster_.nodes == 1 && cluster_.graph.cables.empty()) { cluster_.fabric.kind = FabricKind::none; }
    }

    Cluster cluster_;
    std::map<std::uint32_t, DrawnNode> nodes_;
};

constexpr std::uint32_t most_drawn = 1U << 20U;  // nodes of a range, and cables of all ranges together

// "node0-31.nic1" -> 0, 31, ".nic1".
struct NodeRange {
    std::uint32_t first = 0, last = 0;
    std::string rest;
};

std::optional<NodeRange> range_of(const std::string& end) {
    const std::size_t dot = end.find('.');
    const std::size_t dash = end.find('-');
    if (!end.starts_with("node") || dot == std::string::npos || dash > dot) { return std::nullopt; }
    const auto first = number_after(std::string_view(end).substr(0, dash), "node");
    const auto last = number_in<std::uint32_t>(std::string_view(end).substr(dash + 1, dot - dash - 1));
    if (!first || !last) { return std::nullopt; }
    if (*last < *first || *last - *first >= most_drawn || *last > 0x7fffffff) {
        throw ClusterError("'{}' is not a range of nodes (accepted: node0-31.nic1)", end);
    }
    return NodeRange{*first, *last, end.substr(dot)};
}

}  // namespace

void expand_node_ranges(std::vector<NodeCable>& cables) {
    std::vector<NodeCable> all;
    all.reserve(cables.size());
    for (NodeCable& cable : cables) {
        if (range_of(cable.b)) { std::swap(cable.a, cable.b); }
        const std::optional<NodeRange> range = range_of(cable.a);
        if (!range) {
            all.push_back(std::move(cable));
            continue;
        }
        if (all.size() + (range->last - range->first) >= most_drawn) {
            throw ClusterError("the ranges of the graph's cables stand for more than {} of them", most_drawn);
        }
        for (std::uint32_t node = range->first; node <= range->last; ++node) {
            cable.a = "node" + std::to_string(node) + range->rest;
            all.push_back(cable);
        }
    }
    cables = std::move(all);
}

Cluster fold_drawn_nodes(Cluster cluster) { return Folder(std::move(cluster)).fold(); }

Cluster without_loose_nics(Cluster cluster) {
    std::uint32_t used = 0;
    for (const NodeCable& cable : cluster.graph.cables) {
        for (const std::string* end : {&cable.a, &cable.b}) {
            const auto name = split(*end);
            const auto nic = name ? number_after(name->local, "nic") : std::nullopt;
            used = std::max(used, nic ? *nic + 1 : 0);
        }
    }
    cluster.node.nics = std::min(cluster.node.nics, used);
    return cluster;
}

}  // namespace fabricast::inline topologies
