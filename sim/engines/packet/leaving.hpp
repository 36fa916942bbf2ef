#pragma once
// Where a flow leaves its node. Inside the node nothing is lost, so what goes back N begins again there.

#include "sim/engines/packet/domain.hpp"

namespace fabricast::inline packet {

// Hops until a packet of the flow has left its node; 0 if its ways differ there, or do not leave it.
[[gnu::cold]] inline std::uint32_t hops_to_leave(const Domain& d, std::uint32_t f) {
    const Route& route = d.traffic.routes[f];
    const auto own = d.net.ports_of(route);
    const auto leaves = std::ranges::find_if(own, [&](std::uint32_t p) { return d.net.leaves_node(p); });
    if (leaves == own.end() || leaves - own.begin() >= static_cast<std::ptrdiff_t>(Recovery::hops_inside)) { return 0; }
    const auto hops = static_cast<std::uint32_t>(leaves - own.begin()) + 1;
    for (std::uint32_t way = 1; way < route.variants; ++way) {
        if (!std::ranges::equal(own.first(hops), d.net.ports_of(route, way).first(hops))) { return 0; }
    }
    return hops;
}

[[gnu::cold]] inline bool is_out_of_turn(Domain& d, std::uint32_t p, const Frame& frame, Ps now) {
    const std::uint32_t f = frame.flow;
    const Flow& flow = d.traffic.flows[f];
    const bool at_home = d.net.island[flow.node] == d.net.island[d.ports[p].from_node];
    if (!at_home || d.traffic.is_request(f) || frame.hop() >= hops_to_leave(d, f)) { return false; }
    Recovery& recovery = d.shared.recoveries[f];
    std::uint32_t& next = recovery.next[frame.hop()];
    if (frame.psn() == (next & 0xffffU)) {
        ++next;
        return false;
    }
    --recovery.resent;  // counted when the flow was sent again
    if (d.shared.windowed() && flow.controller != none) { d.shared.windows[flow.controller].left(frame.bytes); }
    d.saw_end(frame, PacketFlight::refused, now);
    return true;
}

// An adapter that goes back N reads again from memory: what had been on its way to it then goes no further.
[[gnu::always_inline]] inline bool is_taken_back(Domain& d, std::uint32_t p, const Frame& frame, Ps now) {
    return d.restarts && is_out_of_turn(d, p, frame, now);
}

// Whether the flow has sent nothing into the network that is not acknowledged: its packets wait inside the node.
[[gnu::cold]] inline bool waits_inside(const Domain& d, std::uint32_t f) {
    const std::uint32_t hops = d.shared.restarts ? hops_to_leave(d, f) : 0;
    const Recovery& recovery = d.shared.recoveries[f];
    return hops > 0 && recovery.next[hops - 1] == recovery.acked;
}

}  // namespace fabricast::inline packet
