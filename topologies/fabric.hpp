#pragma once
// The cluster as engines see it: directed links with capacity and latency, and a path for each pair of devices. Links
// and paths are computed, not stored: ids are arithmetic over (node, local index) and over the fabric generator, so a
// million GPUs take the memory of one node template. Immutable once built; safe to share between threads.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/paths.hpp"

namespace fabricast::inline topologies {

// Wired nodes [first, first + nodes), all alike.
struct NodeSpan {
    std::uint32_t first = 0, nodes = 0;
};

class FabricGenerator;
struct FabricTables;
struct Placement;

class Fabric {
public:
    // Builds the fabric generator and the path tables of the node template. Throws ClusterError if the cluster cannot
    // be wired (radix exceeded, no such NIC, a GPU that reaches no NIC).
    explicit Fabric(Cluster cluster);

    // The same fabric with ranks on these of its nodes only, in this order: ids of devices and links, names and paths
    // stay, and what counts nodes or ranks counts these. Throws ClusterError if it lacks a node or one stands twice.
    Fabric on(std::vector<std::uint32_t> nodes) const;
    Fabric whole() const;                                // with ranks on all nodes
    std::uint32_t wired_node(std::uint32_t node) const;  // node of the whole fabric

    const Cluster& cluster() const;
    const FabricGenerator& generator() const;
    // In a cluster of several kinds of nodes one sets the pace, that with the slowest GPU unless said otherwise: it
    // stands for all where they act in step.
    std::uint32_t pace() const;        // the first node of that kind
    const NodeTemplate& node() const;  // its template; the one that all nodes share
    const NodeTemplate& node(std::uint32_t node) const;
    const LinkSpec& port() const;               // the link of its NICs' ports
    std::vector<std::uint32_t> kinds() const;   // the first node with ranks of each run
    Fabric paced_by(std::uint32_t node) const;  // the same fabric with this one's kind as the pace

    std::uint32_t node_count() const;
    std::uint32_t gpus_per_node() const;
    std::uint32_t nics_per_node() const;
    std::uint32_t gpu_count() const;  // ranks; rank r is GPU r % g of node r / g

    DeviceId gpu(std::uint32_t rank) const;
    DeviceId nic(std::uint32_t node, std::uint32_t index) const;
    DeviceId nvswitch(std::uint32_t node, std::uint32_t index = 0) const;  // the node's NVSwitch plane as one device
    DeviceKind kind(DeviceId device) const;
    std::uint32_t node_of(DeviceId device) const;      // precondition: of a node with ranks
    std::uint32_t local_index(DeviceId device) const;  // "gpu5" -> 5
    std::string device_name(DeviceId device) const;    // "node3.gpu5", "leaf1"
    DeviceId device(std::string_view name) const;      // throws ClusterError, naming the nearest
    std::uint32_t device_count() const;                // ids are 0 .. device_count - 1

    // The NIC that NCCL gives to this GPU, and all NICs at the same, least distance; both are indices inside the node.
    std::uint16_t nearest_nic(DeviceId gpu) const;
    std::uint16_t nearest_nic(std::uint32_t local_gpu) const;  // of the node that sets the pace
    std::span<const std::uint16_t> near_nics(DeviceId gpu) const;

    std::uint32_t link_count() const;  // ids are 0 .. link_count - 1
    // Device ids of wired node n are [first_device(n), first_device(n + 1)), and its links, which include its NIC
    // ports, are numbered the same way. Corresponding devices and links are in the same order in every node of a kind.
    std::uint32_t first_device(std::uint32_t wired) const;
    std::uint32_t first_link(std::uint32_t wired) const;
    // Runs of equal nodes among the wired ones, and the number of a node's.
    std::vector<NodeSpan> runs() const;
    std::uint32_t run_of(std::uint32_t wired) const;
    // The wired node of a device that is no switch; node_of() counts the nodes with ranks instead.
    std::uint32_t wired_node_of(DeviceId device) const;
    std::uint32_t wired_node_of(LinkId link) const;  // precondition: no trunk
    // Behind the wired nodes' devices come the fabric's switches, behind their links its trunks.
    std::uint32_t first_switch() const;
    std::uint32_t first_trunk() const;
    LinkInfo link(LinkId id) const;
    LinkEnds ends(LinkId id) const;
    std::string link_name(LinkId id) const;  // "node0.gpu3 -> node0.nvswitch", "leaf1 -> spine0 (x16)"

    std::vector<FabricTier> tiers() const;  // leaves first; empty for a single node

    // Throws Unreachable. Deterministic: the same query gives the same path. Takes some tens of nanoseconds.
    Path path(const PathQuery& query) const;
    // The same into the caller's buffer. A path to or from a switch is found by search over all trunks (milliseconds).
    void path(const PathQuery& query, Path& into) const;

private:
    bool switch_path(const PathQuery& query, Path& into) const;
    void find_pace();

    std::shared_ptr<const FabricTables> tables_;
    std::shared_ptr<const Placement> placement_;  // null: on all nodes, in their order
    std::uint32_t pace_ = 0;
};

// Of the GPUs with ranks, one with the least memory.
const GpuSpec& smallest_gpu(const Fabric& fabric);

}  // namespace fabricast::inline topologies
