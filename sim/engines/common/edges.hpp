#pragma once
// Which edges a pipeline uses, as a generator: a ring over a million ranks is two numbers and an order, not a list.

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast::inline engine_common {

// One edge of a pipeline, or `count` edges on the same path, so that every link of it is crossed `count` times. They
// share `connections` queue pairs (NCCL: one for each channel), of which a hash may send each another way.
struct Edge {
    PathQuery path;
    double count = 1;
    std::uint32_t connections = 1;
};

// The same edge on another path.
inline Edge on_path(Edge edge, const PathQuery& path) {
    edge.path = path;
    return edge;
}

// The flow label of each connection of an edge.
constexpr std::uint32_t connection_label(std::uint32_t label, std::uint32_t connection) {
    return label + connection * 0x85ebca6bU;
}

// An explicit list of edges.
struct EdgeList {
    std::vector<Edge> edges;
};

// A ring over nodes [first_node, first_node + nodes): inside each node the GPUs in `order`, then out of `exit_nic` to
// the next node's `entry_nic`. With one node the ring closes inside it.
struct NodeRing {
    std::uint32_t first_node = 0;
    std::uint32_t nodes = 1;
    std::vector<std::uint16_t> order;  // local GPU indices, each once
    std::uint16_t exit_nic = any_nic;
    std::uint16_t entry_nic = any_nic;
    std::uint32_t flow_label = 0;
    bool gpu_direct = true;
    bool closed = true;             // false: a chain, without the edge from the last back to the first
    std::uint32_t connections = 1;  // of each edge
};

// With PXN all GPUs of a node reach a rail by one NIC, each over a connection of its own, which a hash may send another
// way. Eight ways tell them apart well enough: sender s has that of s % 8.
inline constexpr std::uint32_t pxn_ways = 8;
inline std::uint32_t pxn_label(std::uint32_t sender, std::uint32_t to, std::uint32_t ranks) {
    return to + ranks * (sender % pxn_ways);
}

// Every ordered pair of ranks [first, first + ranks); if `pxn`, they leave a node by the NIC on the destination's rail.
struct AllPairs {
    std::uint32_t first = 0;
    std::uint32_t ranks = 0;
    bool pxn = true;
    bool gpu_direct = true;
    std::uint32_t connections = 1;  // of each pair
};

// A custom generator: calls its visitor once per edge, with the same edges in the same order each time.
struct GeneratedEdges {
    std::uint64_t edges = 0;
    std::function<void(const std::function<void(const Edge&)>&)> for_each;
};

using EdgeSet = std::variant<EdgeList, NodeRing, AllPairs, GeneratedEdges>;

// Number of edges of the set. An Edge whose `count` is above 1 counts once.
std::uint64_t edge_count(const EdgeSet& set);

// Calls visit(edge) for each edge of the set on this fabric, in a fixed order.
void for_each_edge(const EdgeSet& set, const Fabric& fabric, const std::function<void(const Edge&)>& visit);

}  // namespace fabricast::inline engine_common
