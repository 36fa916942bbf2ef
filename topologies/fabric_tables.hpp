#pragma once
// The data of a Fabric: the tables of its node template, the generator of its switches, and the first ids of each kind.

#include <cstdint>
#include <memory>

#include "topologies/fabric_generator.hpp"
#include "topologies/node_paths.hpp"
#include "topologies/paths.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline topologies {

// Device ids: local device d of node n is n * devices + d; switches follow after all nodes. Link ids: local link l of
// node n is n * links + l, first the links of the template, then the outward and inward link of each NIC port; trunks
// follow after all nodes.
struct FabricTables {
    explicit FabricTables(Cluster c);

    std::uint32_t node_of(DeviceId id) const { return index(id) / devices; }
    std::uint32_t local(DeviceId id) const { return index(id) % devices; }
    bool is_switch(DeviceId id) const { return index(id) >= first_switch; }
    std::uint32_t port_link(FabricEnd end, std::uint32_t plane, bool inward) const {
        return end.node * links + first_port + (end.nic * planes + plane) * 2 + (inward ? 1 : 0);
    }

    // The NIC as the generator numbers it: by tray and rail, or by node and NIC.
    FabricEnd seat(FabricEnd end) const {
        return generator->by_tray() ? FabricEnd{end.node * trays.count + trays.tray_of[end.nic], trays.rail_of[end.nic]}
                                    : end;
    }
    std::uint32_t switch_of(FabricEnd end, std::uint32_t plane) const { return generator->switch_of(seat(end), plane); }

    // The device of a generator's vertex: a switch or, after the switches, a NIC.
    DeviceId fabric_device(std::uint32_t vertex) const {
        const std::uint32_t switches = generator->switch_count();
        if (vertex < switches) { return DeviceId{first_switch + vertex}; }
        const std::uint32_t nic = vertex - switches;
        return DeviceId{nic / cluster.node.nics * devices + cluster.node.gpus + nic % cluster.node.nics};
    }

    void append(Path& path, std::uint32_t node, const LocalPath& part) const {
        const std::uint32_t base = node * links;
        for (const std::uint16_t link : graph.span(part)) { path.links[path.count++] = LinkId{base + link}; }
        path.latency += part.latency;
    }

    Cluster cluster;
    NodeGraph graph;
    Trays trays;
    std::unique_ptr<const FabricGenerator> generator;
    std::uint32_t planes = 0;
    std::uint32_t devices = 0, links = 0;  // per node
    std::uint32_t first_port = 0;
    std::uint32_t first_switch = 0, first_trunk = 0;
    LinkInfo port;
    bool hashes = false;  // some path depends on the flow's hash

    void check_longest_path() const;
    bool inside_node(const PathQuery& query, Path& path) const;
    bool through_fabric(const PathQuery& query, Path& path) const;
    bool across(FabricEnd from, FabricEnd to, std::uint32_t flow_label, Path& path) const;
    const LocalPath& to_nic(const PathQuery& query, std::uint32_t from, std::uint32_t nic) const {
        return beside_nic(query, from, from, graph.gpus + nic);
    }
    const LocalPath& from_nic(const PathQuery& query, std::uint32_t nic, std::uint32_t to) const {
        return beside_nic(query, to, graph.gpus + nic, to);
    }
    const LocalPath& beside_nic(const PathQuery& query, std::uint32_t device, std::size_t from, std::size_t to) const;
    std::uint32_t nic_for(std::uint32_t local, std::uint16_t asked) const;
};

}  // namespace fabricast::inline topologies
