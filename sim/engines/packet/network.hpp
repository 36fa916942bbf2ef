#pragma once
// The fabric as packets see it: nodes with ports, and the path of each flow as a list of ports. Links without latency,
// and services that several links share, have no port. Devices joined by links without latency are one node, and a
// packet that leaves the node waits for the services that it needs.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "models/ethernet.hpp"
#include "sim/engines/common/link_event.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/engines/packet/lanes.hpp"
#include "sim/engines/packet/port.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline packet {

// A service that is shared by both directions of a cable, or by all traffic through a device.
struct Service {
    Ps free = 0;
    std::uint64_t inverse = 0;
};

// What a pause's quanta are worth on the wire.
inline std::uint32_t pause_bytes(const Packet& options) {
    return static_cast<std::uint32_t>(options.pause_quanta) * static_cast<std::uint32_t>(pfc::quantum_bits / 8);
}

struct Node {
    DeviceId device{};                                   // represents the node in messages
    std::uint32_t first_port = 0, port_count = 0;        // sending
    std::uint32_t first_ingress = 0, ingress_count = 0;  // into Network::ingress_ports
    bool serves = false;                                 // has services: its ports are drained in order of time
    bool network = false;                                // a switch or NIC: marks, and may choose paths
    std::int64_t buffer = 0;                             // bytes, shared by its PFC and lossy ports
    std::int64_t used = 0, used_most = 0;                // the most while it paused an input
    std::int64_t most = 0;                               // the most of `used` since a recording began
    std::int64_t reserved = 0;                           // for parts that are not simulated (reuse.hpp)
    std::int64_t reserved_limit = 0;                     // bytes in all from which on one of these could be paused
    Ps known_until = -1;                                 // until then it is known that it pauses nobody
    std::uint32_t paused_ingresses = 0;
    std::uint32_t refreshing = 0;  // inputs whose pauses have a timer
    std::uint32_t first_word = 0;  // into Shared::active
    bool is_switch = false;        // a switch of the fabric
    bool shares_wire = false;      // some ports share a wire, or there are reads over PCIe
};

// The ways of one flow: `variants` lists of `hops` ports, one after the other in Network::hops.
struct Route {
    std::uint32_t first = 0;
    std::uint8_t hops = 0;
    std::uint8_t variants = 1;
};

// From `from` until the next epoch: which ways each flow may take. Zero: all its own ways (either none is down, or
// there is no other and its traffic waits). With `only` set: the one way whose number is in the other bits. Otherwise:
// bits of its own ways.
struct Epoch {
    static constexpr std::uint32_t only = 0x80000000U;
    Ps from = 0;
    std::vector<std::uint32_t> ways;  // per flow

    static bool allows(std::uint32_t ways, std::uint32_t way) {
        return ways == 0 || ((ways & only) != 0 ? way == (ways & ~only) : way < 31 && (ways >> way & 1U) != 0);
    }
};

struct Network {
    std::vector<Node> nodes;
    std::unique_ptr<Port[]> ports;
    std::uint32_t port_count = 0;
    std::vector<Ingress> ingress;              // per port
    std::vector<PortCounts> counts;            // per port
    std::vector<LinkId> links;                 // per port
    std::vector<CreditForm> forms;             // the first counts bytes
    std::vector<WeightedRoundRobin> turns;     // of links with lanes
    bool trims = false;                        // full queues of switches trim packets
    bool weak_order = true;                    // PCIe: reads and completions may pass writes
    std::vector<std::uint32_t> ingress_ports;  // node by node, then a few that may be read and belong to none
    static constexpr std::uint32_t read_ahead = 8;
    std::vector<std::uint32_t> hops;
    // Services that a packet needs in addition to its port, for each of `hops`; empty if no path needs any.
    std::vector<std::uint32_t> services_end;
    std::vector<std::uint32_t> services_of;
    std::vector<Service> services;
    std::vector<std::uint32_t> island;  // per node: its node of the cluster; fabric switches have numbers after those
    std::vector<double> capacity_inverse;     // per port: Port::inverse at full capacity
    bool rates_change = false;                // events of links: a rate may differ at a link's two ends for a latency
    std::vector<Epoch> epochs;                // in order of time; empty: no flow ever changes its way
    std::vector<Route> detours;               // flow after flow; numbered after the flow's own ways
    std::vector<std::uint32_t> first_detour;  // per flow
    Ps window = never;                        // the smallest latency: nothing sent in a window arrives in the same one

    // A port's Port::inverse when an event leaves `millionths` of its capacity.
    std::uint64_t inverse_at(std::uint32_t p, std::uint32_t millionths) const {
        return static_cast<std::uint64_t>(std::llround(capacity_inverse[p] * 1e6 / millionths));
    }
    std::uint32_t number_of(const Port& port) const { return static_cast<std::uint32_t>(&port - ports.get()); }
    // The first lane of the port's link.
    std::uint32_t first_lane(std::uint32_t p) const { return p - counts[p].lane; }
    std::span<Port> lanes_of(std::uint32_t p) const { return {&ports[first_lane(p)], ports[p].lanes}; }
    bool is_header_lane(std::uint32_t p) const {
        return trims && ports[p].lanes == trim_lanes && counts[p].lane == headers;
    }
    // Makes the wire busy until then, for all its lanes.
    [[gnu::cold]] void hold_wire(std::uint32_t p, Ps until) {
        for (Port& lane : lanes_of(p)) { lane.free = std::max(lane.free, until); }
    }
    [[gnu::cold]] bool any_active(std::uint32_t p) const {
        return std::ranges::any_of(lanes_of(p), [](const Port& lane) { return lane.active; });
    }
    // PCIe without relaxed ordering: reads and completions may not pass writes before them, writes may pass everything
    // (PCI-SIG Base 5.0 table 2-40: otherwise two devices that read from each other could wait for ever).
    [[gnu::cold]] bool behind_writes(std::uint32_t p, Ps arrived) const {
        const Port& port = ports[p];
        const std::uint8_t lane = counts[p].lane;
        if (weak_order || lane == posted || !port.headers) { return false; }
        const Port& writes = ports[p - lane];
        return !writes.queue.empty() && writes.queue.front().frame.time() <= arrived;
    }
    [[gnu::always_inline]] std::int64_t cost(const Port& port, std::uint32_t bytes) const {
        return port.form == 0 ? bytes : forms[port.form].cost(bytes);
    }
    [[gnu::always_inline]] bool lacks_credit(const Port& port, std::uint32_t bytes) const {
        return port.credits < cost(port, bytes) ||
               (port.headers &&
                counts[number_of(port)].headers < static_cast<std::int32_t>(forms[port.form].packets(bytes)));
    }
    // Whether anything except time holds back a packet of this size.
    [[gnu::always_inline]] bool blocked(const Port& port, std::uint32_t bytes) const {
        return port.paused || port.down || (port.control == Control::credits && lacks_credit(port, bytes));
    }
    // Bytes that wait on all lanes of the port's link.
    std::int64_t queued(std::uint32_t p) const {
        if (ports[p].lanes == 1) { return ports[p].queued_bytes; }  // does not touch `counts`
        std::int64_t sum = 0;
        for (const Port& lane : lanes_of(p)) { sum += lane.queued_bytes; }
        return sum;
    }
    std::uint32_t port_of(const Route& route, std::uint32_t variant, std::uint32_t hop) const {
        return hops[route.first + variant * route.hops + hop];
    }
    // The ports of one of the route's ways, hop by hop.
    std::span<const std::uint32_t> ports_of(const Route& route, std::uint32_t variant = 0) const {
        return std::span(hops).subspan(route.first + std::size_t{variant} * route.hops, route.hops);
    }
    bool leaves_node(std::uint32_t p) const { return island[ports[p].from_node] != island[ports[p].to_node]; }
    // Switches on the way, by the ports that leave them.
    std::uint32_t switches_on(const Route& route) const {
        return static_cast<std::uint32_t>(std::ranges::count_if(
            ports_of(route), [&](std::uint32_t p) { return nodes[ports[p].from_node].is_switch; }));
    }
    // A packet's time on the slowest link of the way.
    Ps slowest_wire(const Route& route, std::uint32_t bytes) const {
        Ps most = 0;
        for (const std::uint32_t p : ports_of(route)) { most = std::max(most, ports[p].serialization(bytes)); }
        return most;
    }
    Ps latency_of(const Route& route, std::uint32_t variant = 0) const {
        Ps sum = 0;
        for (const std::uint32_t p : ports_of(route, variant)) { sum += ports[p].latency; }
        return sum;
    }
    std::span<const std::uint32_t> services_at(const Route& route, std::uint32_t variant, std::uint32_t hop) const {
        if (services_end.empty()) { return {}; }
        const std::size_t at = route.first + variant * route.hops + hop;
        const std::uint32_t begin = at == 0 ? 0 : services_end[at - 1];
        return std::span(services_of).subspan(begin, services_end[at] - begin);
    }
};

// What a link may hold of its receiver's shared buffer, of which `used` bytes are taken: each of its cables is a queue
// of its own (Choudhury and Hahne).
inline double pause_threshold(const Packet& options, const Node& node, const Ingress& in, std::int64_t used) {
    return pfc::dynamic_threshold(options.alpha * in.cables, {node.buffer}, {used});
}

// Bytes of the longest packets on the wire: their payload and what the protocol adds.
struct LongestPackets {
    std::int64_t inside = 0, between_nodes = 0;
};

// Sets flow control, buffers and marks of every port: what it does with packets. Precondition: all ports exist.
void set_policies(Network& net, const Fabric& fabric, const Packet& options, LongestPackets longest);

}  // namespace fabricast::inline packet
