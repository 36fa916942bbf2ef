#pragma once
// A full queue of a switch cuts a packet to its header, which goes to the receiver before whole packets, so that the
// sender hears at once what to send again (Handley et al., NDP, SIGCOMM'17, section 3.1; UEC 1.0, section on packet
// trimming). Headers travel in a lane of their own, whose queue has no limit.

#include "sim/engines/packet/departures.hpp"

namespace fabricast::inline packet {

inline constexpr std::uint16_t trimmed_bytes = 64;  // NDP's headers, and what uet-htsim trims to

// Whether the packet would wait for longer than a queue may be.
[[gnu::cold]] inline bool is_full(Domain& d, std::uint32_t out, std::uint32_t bytes, Ps now) {
    const Port& port = d.ports[out];
    const auto exceeds = [&] {
        return wire_time(static_cast<std::uint64_t>(port.queued_bytes) + bytes, port.inverse) > d.shared.trim_after;
    };
    if (port.lanes != trim_lanes || !d.nodes[port.from_node].is_switch || !exceeds()) { return false; }
    drain(d, out, now);
    return exceeds();
}

// Returns false if the packet cannot be trimmed here. An adapter without room refuses it, which needs no header.
[[gnu::cold]] inline bool trim(Domain& d, std::uint32_t out, Frame frame, Ps now) {
    const Port& port = d.ports[out];
    const Node& node = d.nodes[port.from_node];
    if (!node.network || (node.is_switch && port.lanes != trim_lanes)) { return false; }
    ++d.counts.trimmed;
    d.saw_end(frame, PacketFlight::trimmed, now);
    if (!node.is_switch) {
        refuse_header(d, frame, now);
        return true;
    }
    const std::uint32_t p = d.net.first_lane(out) + headers;
    Port& lane = d.ports[p];
    frame.bytes = std::min(frame.bytes, trimmed_bytes);
    frame.at(now);
    lane.queue.push({frame, none});
    lane.queued_bytes += frame.bytes;
    d.port_counts[p].most_queued = std::max(d.port_counts[p].most_queued, lane.queued_bytes);
    d.saw_queue(p, now);
    d.shared.set_active(lane);
    return true;
}

}  // namespace fabricast::inline packet
