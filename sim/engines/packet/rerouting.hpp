#pragma once
// Links that go down. A packet takes its flow's new way at the first node that it can do so from. A packet that comes
// to the link without passing such a node is lost and sent again. If there is no other way, packets wait.

#include <bit>
#include <cassert>

#include "sim/engines/packet/departures.hpp"

namespace fabricast::inline packet {

inline bool may_stay(const Traffic& traffic, const Frame& frame, Ps now) {
    return traffic.network.epochs.empty() || Epoch::allows(traffic.ways_of(frame.flow, now), frame.variant());
}

// Moves the packet to the flow's new way, if its own may no longer be used and the new one has the same links before
// `hop`. Returns whether it did.
[[gnu::cold]] inline bool divert(const Traffic& traffic, Frame& frame, std::uint32_t hop, Ps now) {
    if (may_stay(traffic, frame, now)) { return false; }
    const std::uint32_t ways = traffic.ways_of(frame.flow, now);
    const std::uint32_t number =
        (ways & Epoch::only) != 0 ? ways & ~Epoch::only : static_cast<std::uint32_t>(std::countr_zero(ways));
    std::uint32_t before = frame.variant();
    std::uint32_t after = number;
    const Route& left = traffic.route_of(frame.flow, before);
    const Route& taken = traffic.route_of(frame.flow, after);
    const auto begin = [&](const Route& route, std::uint32_t way) {
        return traffic.network.ports_of(route, way).first(hop);
    };
    if (taken.hops <= hop || !std::ranges::equal(begin(left, before), begin(taken, after))) { return false; }
    constexpr std::uint16_t fixed =
        static_cast<std::uint16_t>(~(Frame::last_hop | (Frame::variant_mask << Frame::variant_shift)));
    frame.meta = static_cast<std::uint16_t>((frame.meta & fixed) | (number << Frame::variant_shift) |
                                            (hop + 1U == taken.hops ? Frame::last_hop : 0));
    return true;
}

// Loses a packet that is in no queue; its receive buffer is free again.
[[gnu::cold]] inline void lose(Domain& d, std::uint32_t in, const Frame& frame, Ps now) {
    ++d.counts.lost;
    d.saw_end(frame, PacketFlight::dropped, now);
    if (d.ports[in].control == Control::credits) { return_credit(d, in, frame.bytes, now); }
}

[[gnu::cold]] inline void lose_queue(Domain& d, std::uint32_t p, Ps now) {
    Port& port = d.ports[p];
    for (std::uint32_t left = port.queue.size(); left > 0; --left) {
        Waiting waiting = port.queue.front();
        port.queue.pop();
        if (may_stay(d.traffic, waiting.frame, now)) {
            port.queue.push(waiting);
            continue;
        }
        port.queued_bytes -= waiting.frame.bytes;
        if (divert(d.traffic, waiting.frame, waiting.frame.hop(), now)) {
            std::uint32_t way = waiting.frame.variant();
            const Route& route = d.traffic.route_of(waiting.frame.flow, way);
            const std::uint32_t other = d.net.port_of(route, way, waiting.frame.hop());
            Port& onward = d.ports[other];
            onward.queue.push(waiting);
            onward.queued_bytes += waiting.frame.bytes;
            d.saw_queue(other, now);
            d.shared.set_active(onward);
            continue;
        }
        ++d.counts.lost;
        d.saw_end(waiting.frame, PacketFlight::dropped, now);
        if (waiting.ingress != none) { vacate(d, waiting.ingress, waiting.frame.bytes, now); }
    }
    d.saw_queue(p, now);
    if (!d.shared.has_traffic(port)) { d.shared.clear_active(port); }
}

// Moves the flow to the first port of the way that it takes from now on.
[[gnu::cold]] inline void reroute(Domain& d, std::uint32_t f, Ps now) {
    Flow& flow = d.traffic.flows[f];
    const std::uint32_t ways = d.traffic.ways_of(f, now);
    std::uint32_t way = (ways & Epoch::only) != 0 ? ways & ~Epoch::only : 0;
    const Route& route = d.traffic.route_of(f, way);
    const std::uint32_t port = d.net.port_of(route, way, 0);
    if (port == flow.port) { return; }
    assert(d.ports[port].from_node == flow.node);
    drain(d, flow.port, now - 1);
    Sender& before = d.senders[d.ports[flow.port].sender];
    if (flow.waiting) {
        before.remove(f);
        d.senders[d.ports[port].sender].add(f, std::max(flow.next, now), -1);
        d.shared.set_active(d.ports[port]);
    }
    Port& left = d.ports[flow.port];
    if (before.empty() && left.queue.empty()) { d.shared.clear_active(left); }
    flow.port = port;
}

}  // namespace fabricast::inline packet
