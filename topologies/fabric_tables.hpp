#pragma once
// The data of a Fabric: the tables of its node templates, the generator of its switches, and the first ids of each
// kind.

#include <cstdint>
#include <memory>
#include <vector>

#include "topologies/fabric_generator.hpp"
#include "topologies/node_paths.hpp"
#include "topologies/paths.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline topologies {

// A run of equal nodes. Within it local device d of the n-th node is first_device + n * devices + d, and local link l
// is first_link + n * links + l: first the links of the template, then the outward and inward link of each NIC port.
struct RunTables {
    NodeTemplate node;
    NodeGraph graph;
    LinkInfo port;         // outward
    Duration port_inward;  // without the NIC's own latency
    std::uint32_t first_node = 0, end_node = 0;
    std::uint32_t devices = 0, links = 0;  // per node
    std::uint32_t first_port = 0;          // local
    std::uint32_t first_device = 0, end_device = 0, first_link = 0, end_link = 0;

    std::uint32_t device(std::uint32_t wired, std::uint32_t local) const {
        return first_device + (wired - first_node) * devices + local;
    }
    std::uint32_t link(std::uint32_t wired, std::uint32_t local) const {
        return first_link + (wired - first_node) * links + local;
    }
};

// Ids run through the nodes in their order; switches follow after all nodes' devices, trunks after all their links.
struct FabricTables {
    explicit FabricTables(Cluster c);

    const RunTables& of_node(std::uint32_t wired) const {
        const RunTables* run = runs.data();
        while (wired >= run->end_node) { ++run; }
        return *run;
    }
    const RunTables& of(DeviceId id) const {
        const RunTables* run = runs.data();
        while (index(id) >= run->end_device) { ++run; }
        return *run;
    }
    const RunTables& of(LinkId id) const {
        const RunTables* run = runs.data();
        while (index(id) >= run->end_link) { ++run; }
        return *run;
    }
    std::uint32_t node_of(DeviceId id) const {
        const RunTables& run = of(id);
        return run.first_node + (index(id) - run.first_device) / run.devices;
    }
    std::uint32_t local(DeviceId id) const {
        const RunTables& run = of(id);
        return (index(id) - run.first_device) % run.devices;
    }
    bool is_switch(DeviceId id) const { return index(id) >= first_switch; }
    std::uint32_t port_link(FabricEnd end, std::uint32_t plane, bool inward) const {
        const RunTables& run = of_node(end.node);
        return run.link(end.node, run.first_port + (end.nic * planes + plane) * 2 + (inward ? 1 : 0));
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
        const std::uint32_t node = nic / cluster.node.nics;
        return DeviceId{of_node(node).device(node, cluster.node.gpus + nic % cluster.node.nics)};
    }

    void append(Path& path, std::uint32_t node, const LocalPath& part) const {
        const RunTables& run = of_node(node);
        const std::uint32_t base = run.link(node, 0);
        for (const std::uint16_t link : run.graph.span(part)) { path.links[path.count++] = LinkId{base + link}; }
        path.latency += part.latency;
    }

    Cluster cluster;
    std::vector<RunTables> runs;  // at least one; all have equal numbers of GPUs and NICs, in equal trays
    Trays trays;
    std::unique_ptr<const FabricGenerator> generator;
    std::uint32_t planes = 0;
    std::uint32_t first_switch = 0, first_trunk = 0;
    bool hashes = false;  // some path depends on the flow's hash

    void add_runs();
    void number();
    void check_longest_path() const;
    bool inside_node(const PathQuery& query, Path& path) const;
    bool through_fabric(const PathQuery& query, Path& path) const;
    bool across(FabricEnd from, FabricEnd to, std::uint32_t flow_label, Path& path) const;
    // Of the node that the query begins in, and of the one that it ends in.
    const LocalPath& to_nic(const PathQuery& query, std::uint32_t from, std::uint32_t nic) const {
        const RunTables& run = of(query.src);
        return beside_nic(query, run, from, from, run.graph.gpus + nic);
    }
    const LocalPath& from_nic(const PathQuery& query, std::uint32_t nic, std::uint32_t to) const {
        const RunTables& run = of(query.dst);
        return beside_nic(query, run, to, run.graph.gpus + nic, to);
    }
    const LocalPath& beside_nic(const PathQuery& query, const RunTables& run, std::uint32_t device, std::size_t from,
                                std::size_t to) const;
    std::uint32_t nic_for(DeviceId device, std::uint16_t asked) const;
};

}  // namespace fabricast::inline topologies
