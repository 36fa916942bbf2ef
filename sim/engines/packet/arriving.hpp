#pragma once
// A packet at the end of a link: by which port it leaves, and whether it is sent on at once or waits.

#include "models/ethernet.hpp"
#include "sim/engines/packet/rerouting.hpp"
#include "sim/engines/packet/resending.hpp"
#include "sim/engines/packet/trimming.hpp"

namespace fabricast::inline packet {

// The timer of a pause, which may have ended meanwhile.
[[gnu::cold]] inline void refresh(Domain& d, std::uint32_t in, Ps now) {
    Ingress& ingress = d.ingress[in];
    const std::uint32_t n = d.ports[in].to_node;
    Node& node = d.nodes[n];
    const Ps half = ingress.serialization(pause_bytes(d.options)) / 2;
    const bool late = ingress.paused && now - ingress.told_at >= half;
    if (late) { drain_in_order(d, node, now - 1); }  // packets that leave before have the wire first
    if (!ingress.paused) {
        ingress.will_refresh = false;
        --node.refreshing;
        return;
    }
    if (late) {
        ++ingress.refreshes;
        tell_pause(d, in, true, now);
    }
    d.mail({d.earliest(n, ingress.told_at + half), n, ControlMessage::refresh, in, 0});
}

// Returns false if the buffer, which the node's PFC and lossy ports share, has no room.
[[gnu::noinline]] inline bool accept_into_shared(Domain& d, std::uint32_t in, std::uint32_t bytes, Ps now) {
    Ingress& ingress = d.ingress[in];
    const Control control = d.ports[in].control;
    Node& node = d.nodes[d.ports[in].to_node];
    double slack = 0;
    const auto fits = [&] {
        // With alpha above 1 the threshold may be more than is free.
        slack = pause_threshold(d.options, node, ingress, node.used) - static_cast<double>(ingress.bytes + bytes);
        return ingress.over == 0 && slack >= 0 && node.used + bytes <= node.buffer &&
               (node.reserved == 0 || fits_reserved(d.options, node, ingress, bytes));
    };
    // The counts are exact only after all ports have been drained, and a pause waits for what its wire sends before it.
    if (!fits()) { drain_in_order(d, node, now); }
    if (fits()) {
        ingress.bytes += bytes;
        ingress.most = std::max(ingress.most, ingress.bytes);
        ingress.least_slack = std::min(ingress.least_slack, slack);
        node.used += bytes;
        node.most = std::max(node.most, node.used);
        if (node.paused_ingresses > 0) { node.used_most = std::max(node.used_most, node.used); }
        return true;
    }
    if (node.reserved > 0 || now <= node.known_until) { d.shared.buffers_met.store(true, std::memory_order_relaxed); }
    const bool room = control == Control::pfc && ingress.over + bytes <= ingress.headroom;
    if (room) {
        ingress.over += bytes;
        ingress.headroom_most = std::max(ingress.headroom_most, ingress.over);
    }
    if (control == Control::pfc && !ingress.paused) { set_paused(d, in, true, now); }
    return room;
}

// Returns false if there is no room.
[[gnu::always_inline]] inline bool accept(Domain& d, std::uint32_t in, std::uint32_t bytes, Ps now) {
    const Control control = d.ports[in].control;
    if (control == Control::none) { return true; }
    if (control == Control::credits) {
        if (d.ingress[in].unbounded) { return_credit(d, in, bytes, now); }
        return true;
    }
    return d.ingress[in].unbounded || accept_into_shared(d, in, bytes, now);
}

// Precondition: the packet may not begin before `ready`.
[[gnu::always_inline]] inline void enqueue(Domain& d, std::uint32_t out, const Frame& frame, std::uint32_t in,
                                           Ps arrived, Ps ready) {
    if (!accept(d, in, frame.bytes, arrived)) {
        if (!d.shared.trims() || !trim(d, out, frame, arrived)) {
            ++d.ingress[in].drops;
            d.saw_end(frame, PacketFlight::dropped, arrived);
        }
        return;
    }
    Port& port = d.ports[out];
    Waiting& waiting = port.queue.add();
    waiting.frame = frame;
    waiting.frame.at(ready);
    waiting.ingress = d.ingress[in].unbounded ? none : in;
    port.queued_bytes += frame.bytes;
    PortCounts& counts = d.port_counts[out];
    counts.most_queued = std::max(counts.most_queued, port.queued_bytes);
    d.saw_queue(out, arrived);
    if (!port.active) { d.shared.set_active(port); }
}

// Sends the packet straight onto the wire if that is idle, otherwise queues it. A packet from a slower link may begin
// only when its end will have arrived in time.
inline void forward(Domain& d, std::uint32_t out, Frame frame, std::uint32_t in, Ps arrived) {
    Port& port = d.ports[out];
    if (port.down && !may_stay(d.traffic, frame, arrived)) {
        lose(d, in, frame, arrived);
        return;
    }
    const Node& node = d.nodes[port.from_node];
    Ps now = arrived;
    if (d.options.cut_through) {
        const Ingress& from = d.ingress[in];
        if (from.inverse > port.inverse) { now += from.serialization(frame.bytes) - port.serialization(frame.bytes); }
    }
    const bool busy = port.lanes > 1 ? d.net.any_active(out) : d.shared.has_traffic(port);
    if (busy) {
        if (in_order(node)) {
            drain_in_order(d, node, arrived);
        } else {
            drain(d, out, arrived);
        }
    }
    if (now == arrived && port.free <= now && !node.serves && !d.shared.has_traffic(port) &&
        (port.lanes == 1 || !d.net.behind_writes(out, now)) &&
        ((port.control == Control::none && !port.down) || admit(d, port, now, now, frame.bytes) == now)) {
        if (d.ports[in].control == Control::credits) { return_credit(d, in, frame.bytes, now); }
        if (!is_taken_back(d, out, frame, now)) { emit(d, out, port, frame, now); }
        return;
    }
    enqueue(d, out, frame, in, arrived, now);
}

// The same where full queues trim packets. A header stays a header; the first adapter that it comes to answers it.
[[gnu::cold]] inline void forward_trimming(Domain& d, std::uint32_t out, const Frame& frame, std::uint32_t in, Ps now) {
    if (d.net.is_header_lane(in)) {
        if (d.nodes[d.ports[out].from_node].is_switch) {
            forward(d, out + headers, frame, in, now);
        } else {
            refuse_header(d, frame, now + d.ingress[in].serialization(frame.bytes));
        }
        return;
    }
    if (is_full(d, out, frame.bytes, now) && trim(d, out, frame, now)) { return; }
    forward(d, out, frame, in, now);
}

// A short form of arrive() for replays in which only the flow's own path matters: most ports have no services and no
// lanes, and of forward() these need only what is here.
[[gnu::always_inline]] inline void arrive_fast_path(Domain& d, const Due& due) {
    const std::uint32_t out = due.next;
    const Frame& frame = due.frame;
    const Ps now = frame.time();
    Port& port = d.ports[out];
    const Port& from = d.ports[due.port];
    if (!port.simple || port.down || (port.active && in_order(d.nodes[port.from_node]))) [[unlikely]] {
        forward(d, out, frame, due.port, now);
        return;
    }
    if (port.active) { drain_wire(d, out, port, now); }
    Ps ready = now;
    if (from.inverse > port.inverse) {
        ready += from.serialization(frame.bytes) - port.serialization(frame.bytes);
    } else if (port.free <= now && !port.active &&
               (port.control == Control::none || admit(d, port, now, now, frame.bytes) == now)) {
        if (from.control == Control::credits) { return_credit(d, due.port, frame.bytes, now); }
        emit<true>(d, out, port, frame, now);
        return;
    }
    enqueue(d, out, frame, due.port, now, ready);
}

// Chooses, at each switch, among the ways that share the packet's path so far, that with the least traffic ahead.
[[gnu::cold]] inline std::uint32_t choose_way(const Domain& d, const Frame& frame, const Route& route,
                                              std::uint32_t hop, Ps now) {
    const std::uint32_t mine = frame.variant();
    const auto ports = [&](std::uint32_t variant) {
        return d.net.hops.data() + route.first + std::size_t{variant} * route.hops;
    };
    if (!d.nodes[d.ports[ports(mine)[hop]].from_node].is_switch) { return mine; }
    std::uint32_t best = mine;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t i = 0; i < route.variants; ++i) {
        const std::uint32_t variant = (mine + i) % route.variants;
        if (!std::equal(ports(variant), ports(variant) + hop, ports(mine))) { continue; }
        const Port& port = d.ports[ports(variant)[hop]];
        const std::int64_t ahead = d.net.queued(ports(variant)[hop]) * (1 << 10) +
                                   (std::max<Ps>(0, port.free - now) >> 4) +
                                   (port.paused || port.down ? std::int64_t{1} << 50 : 0);
        if (ahead < least) {
            least = ahead;
            best = variant;
        }
    }
    return best;
}

// Called at the receiver itself: streams that forward the piece may continue, and its slot is free again.
inline void on_piece(Domain& d, std::uint32_t s, Ps now) {
    Stream& stream = d.traffic.streams[s];
    ++stream.delivered;
    for (std::uint32_t i = stream.first_follower; i < stream.first_follower + stream.follower_count; ++i) {
        const Follower& follower = d.traffic.followers[i];
        const std::uint32_t next = stream.first + follower.stream;
        if (follower.have != none) {
            std::uint32_t* const have = d.traffic.have.data() + stream.first_have;
            ++have[follower.have];
            const auto least = std::min_element(have + follower.first_have, have + follower.have_end);
            if (*least == d.traffic.streams[next].have) { continue; }
        }
        add_piece(d, next, now);
    }
    if (stream.delivered < stream.slots_end && stream.delivered % stream.chunk_pieces == 0) {
        d.mail({d.earliest(stream.sender, now + stream.slot_delay), stream.sender, ControlMessage::slot, s, 0});
    }
}

[[gnu::always_inline]] inline void arrive(Domain& d, const Due& due) {
    Frame frame = due.frame;
    const Ps now = frame.time();
    if (frame.is(Frame::notice)) {
        on_piece(d, d.traffic.stream_of(frame.flow), now);
        return;
    }
    if (d.shared.corrupts && is_corrupted(d, due.port, frame)) {
        lose(d, due.port, frame, now);
        return;
    }
    const std::uint32_t hop = frame.hop() + 1;
    if (!d.traffic.readers.empty()) {
        const std::uint32_t r = d.traffic.reader_of[frame.flow];
        if (r != none && d.traffic.readers[r].hop == hop && !d.traffic.is_request(frame.flow)) {
            const Ps rest = d.options.cut_through ? d.ingress[due.port].serialization(frame.bytes) : 0;
            return_tag(d, r, frame.bytes, now + rest);
        }
    }
    if (!d.net.epochs.empty()) { divert(d.traffic, frame, hop, now); }
    std::uint32_t variant = frame.variant();
    std::uint32_t way = variant;
    const Route& route = d.traffic.route_of(frame.flow, way);
    if (route.variants > 1 && d.options.routing == PacketRouting::adaptive) {
        variant = way = choose_way(d, frame, route, hop, now);
    }
    const std::uint32_t out = d.net.port_of(route, way, hop);
    constexpr std::uint16_t place = Frame::hop_mask | (Frame::variant_mask << Frame::variant_shift);
    frame.meta = static_cast<std::uint16_t>((frame.meta & ~place) | hop | (variant << Frame::variant_shift) |
                                            (hop + 1U == route.hops ? Frame::last_hop : 0));
    if (d.shared.trims()) {
        forward_trimming(d, out, frame, due.port, now);
        return;
    }
    forward(d, out, frame, due.port, now);
}

}  // namespace fabricast::inline packet
