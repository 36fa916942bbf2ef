#pragma once
// Flows at their first node: which piece is next, and when each packet may be sent.

#include "base/hash.hpp"
#include "sim/engines/common/streams.hpp"
#include "sim/engines/packet/reads.hpp"

namespace fabricast::inline packet {

inline bool begin_message(Traffic& traffic, Flow& flow, Messages& messages) {
    if (messages.next == messages.end) { return false; }
    const std::uint32_t transfer = traffic.message_ops[messages.next];
    if (traffic.message_ready[transfer] == never) { return false; }
    ++messages.next;
    flow.left = std::max<std::int64_t>(1, traffic.message_bytes[transfer]);
    flow.end_bits = Frame::piece_end;
    flow.next = std::max(flow.next, traffic.message_ready[transfer]);
    return true;
}

inline bool begin_stream_piece(Traffic& traffic, Flow& flow, std::uint32_t s) {
    Stream& stream = traffic.streams[s];
    const std::uint32_t piece = stream.next;
    if (!stream.started || piece == stream.pieces) { return false; }
    Ps ready = 0;
    if (stream.follows && piece >= stream.lag() && piece < stream.dependent_end()) {
        const std::uint32_t needed = piece - stream.lag();
        if (stream.have <= needed) { return false; }
        if (stream.have - needed == 1) {
            ready = stream.have_at;
        } else if (stream.have - needed < traffic.times_each) {  // otherwise it came long ago
            ready = traffic.piece_time(s, needed);
        }
    }
    const bool begins_chunk = stream.slices == 1 || piece % stream.slices == 0;
    const auto slot = begins_chunk && piece < stream.pieces_with_slots()
                          ? slot_before(piece / stream.slices, stream.slots)
                          : std::nullopt;
    if (slot) {
        const auto needed = static_cast<std::uint32_t>(*slot);
        if (stream.freed <= needed) { return false; }
        if (stream.freed_at > ready && stream.freed - needed < traffic.times_each) {
            ready = std::max(ready, stream.freed - needed == 1 ? stream.freed_at : traffic.slot_time(s, needed));
        }
    }
    ++stream.next;
    const bool in_last_chunk = piece + stream.slices >= stream.pieces;
    flow.left = std::max<std::int64_t>(1, in_last_chunk ? stream.last_bytes : stream.piece_bytes);
    flow.end_bits =
        static_cast<std::uint16_t>(Frame::piece_end | (stream.next == stream.pieces ? Frame::stream_end : 0));
    flow.next = std::max(flow.next, ready + stream.overhead);
    return true;
}

// Lost pieces are sent again before new ones begin.
inline bool begin_piece(Domain& d, Flow& flow, std::uint32_t f) {
    if (d.traffic.is_request(f)) { return flow.open = begin_request(d, flow, f); }
    if (d.shared.lossy) {
        Recovery& recovery = d.shared.recoveries[f];
        if (recovery.replay < recovery.pieces.size()) {
            const Unacked& piece = recovery.pieces[recovery.replay++];
            flow.psn = piece.first;
            flow.left = piece.bytes;
            flow.end_bits = piece.end_bits;
            return flow.open = true;
        }
    }
    flow.open = d.traffic.is_stream(f) ? begin_stream_piece(d.traffic, flow, d.traffic.stream_of(f))
                                       : begin_message(d.traffic, flow, d.traffic.connections[f]);
    if (flow.open && d.shared.lossy) {
        Recovery& recovery = d.shared.recoveries[f];
        const auto packets = static_cast<std::uint32_t>((flow.left + flow.unit - 1) / flow.unit);
        recovery.pieces.push_back({flow.psn, packets, flow.left, flow.end_bits});
        recovery.replay = static_cast<std::uint32_t>(recovery.pieces.size());
    }
    return flow.open;
}

// Whether the flow has the tag, the room in its window and the number that its next packet needs.
[[gnu::cold]] inline bool may_send(Domain& d, Flow& flow, std::uint32_t f) {
    if (d.shared.lossy && !d.traffic.is_request(f)) {
        const Recovery& recovery = d.shared.recoveries[f];
        const auto unacked = static_cast<std::int32_t>(flow.psn - recovery.acked);
        if (recovery.again.empty() && unacked >= most_unacked) { return false; }
    }
    if (!d.traffic.readers.empty() && !is_granted(d, flow, f)) { return false; }
    return !d.shared.windowed() || flow.controller == none ||
           d.shared.windows[flow.controller].open(d.shared.window(flow.controller), d.shared.recorded);
}

// For controllers that are told when a packet was sent.
[[gnu::cold]] inline void note_sent(Domain& d, const Flow& flow, std::uint32_t psn, std::uint32_t bytes, Ps start) {
    const std::uint32_t c = flow.controller;
    if (c == none) { return; }
    if (d.shared.windowed()) {
        InFlight& flight = d.shared.flight(c, psn);
        flight.sent = start;
        flight.hops = 0;
        flight.marked = false;
        d.shared.windows[c].sent(bytes);
    } else if ((psn + 1) % d.shared.ack_every[c] == 0) {
        d.shared.timelies[c].sent(psn / d.shared.ack_every[c], start);
    }
}

// Called when something that the flow may have waited for has come.
inline void wake_flow(Domain& d, std::uint32_t f, Ps now) {
    Flow& flow = d.traffic.flows[f];
    if (!d.traffic.readers.empty()) { announce(d, f, now); }
    if (flow.waiting) { return; }
    const bool asked_for = d.shared.lossy && !d.shared.recoveries[f].again.empty();
    if (!flow.open && !asked_for && !begin_piece(d, flow, f)) { return; }
    if (d.shared.gated && !may_send(d, flow, f)) { return; }
    flow.waiting = true;
    flow.next = std::max(flow.next, now);
    Port& port = d.ports[flow.port];
    d.senders[port.sender].add(f, flow.next, -1);
    d.shared.set_active(port);
}

// All streams that lead to this one have delivered one more piece. Times that are no longer needed are not stored.
inline void add_piece(Domain& d, std::uint32_t s, Ps now) {
    Stream& stream = d.traffic.streams[s];
    if (stream.have > 0 && stream.next < stream.have + stream.lag()) {
        d.traffic.piece_time(s, stream.have - 1) = stream.have_at;
    }
    ++stream.have;
    stream.have_at = now;
    wake_flow(d, stream.flow, now);
}

inline void free_slot(Domain& d, std::uint32_t s, Ps now) {
    Stream& stream = d.traffic.streams[s];
    if (stream.freed > 0) { d.traffic.slot_time(s, stream.freed - 1) = stream.freed_at; }
    ++stream.freed;
    stream.freed_at = now;
    wake_flow(d, stream.flow, now);
}

[[gnu::cold]] inline std::uint8_t way_of(const Domain& d, Flow& flow, const Route& route, Ps start) {
    const auto f = static_cast<std::uint32_t>(&flow - d.traffic.flows.data());
    const std::uint32_t allowed = d.net.epochs.empty() ? 0 : d.traffic.ways_of(f, start);
    if ((allowed & Epoch::only) != 0) { return static_cast<std::uint8_t>(allowed & ~Epoch::only); }
    std::uint64_t way = 0;
    switch (d.options.routing) {
        case PacketRouting::ecmp:
            way = flow.psn / 16;  // queue pairs take turns, 64 KiB each
            break;
        case PacketRouting::flowlet:
            if (flow.last >= 0 && start - flow.last <= d.options.flowlet_gap.ps &&
                Epoch::allows(allowed, flow.variant)) {
                return flow.variant;
            }
            way = mix(d.options.seed ^ mix(f) ^ static_cast<std::uint64_t>(start));
            break;
        case PacketRouting::adaptive:
        case PacketRouting::spray: way = mix(d.options.seed ^ f) + flow.psn; break;
    }
    way %= route.variants;
    while (!Epoch::allows(allowed, static_cast<std::uint32_t>(way))) { way = (way + 1) % route.variants; }
    return static_cast<std::uint8_t>(way);
}

// ps per byte that a controller other than DCQCN allows; 0: as fast as the wire.
[[gnu::cold]] inline double other_pace(Domain& d, std::uint32_t c, Ps start) {
    switch (d.shared.control) {
        case CongestionControl::timely: {
            const Timely& timely = d.shared.timelies[c];
            return timely.at_line() ? 0 : 1e12 / timely.rate();
        }
        case CongestionControl::infiniband: {
            InfinibandRate& rate = d.shared.infiniband[c];
            rate.advance(d.options.infiniband, start);
            return rate.index() == 0 ? 0 : 1e12 / rate.rate(d.options.infiniband);
        }
        case CongestionControl::hpcc: return d.shared.hpcc[c].at_line() ? 0 : 1e12 / d.shared.hpcc[c].rate();
        case CongestionControl::swift: return d.shared.swift[c].pace();
        case CongestionControl::nscc:  // its window is never below a packet
        case CongestionControl::dcqcn:
        case CongestionControl::automatic:
        case CongestionControl::none: break;
    }
    return 0;
}

// When the flow may send again after `bytes` at `start`, given its own rate cap and its congestion control.
inline Ps paced(Domain& d, Flow& flow, std::uint32_t bytes, Ps start) {
    double pace = flow.pace;
    if (flow.controller != none) {
        if (d.shared.control == CongestionControl::dcqcn) {
            Dcqcn& dcqcn = d.shared.dcqcn[flow.controller];
            dcqcn.on_send(d.options.dcqcn, start, bytes);
            if (flow.controller < d.shared.rates.size()) {
                d.shared.rates[flow.controller].at(start) = static_cast<float>(dcqcn.rate());
            }
            pace = dcqcn.at_line() ? pace : std::max(pace, 1e12 / dcqcn.rate());
        } else {
            pace = std::max(pace, other_pace(d, flow.controller, start));
        }
        d.shared.throttles[flow.controller].saw(start, pace, bytes);
    }
    const double wait = pace * bytes - 1e-6;
    const auto whole = static_cast<Ps>(wait);  // rounded up by hand: std::ceil is a call where SSE 4.1 is not assumed
    return start + whole + (static_cast<double>(whole) < wait ? 1 : 0);
}

// The packet that the receiver asked for first, of those that are to be sent again.
[[gnu::cold]] inline Frame asked_for(const Recovery& recovery, const Flow& flow, std::uint32_t f) {
    Frame frame;
    frame.flow = f;
    const std::uint32_t psn = recovery.again.front();
    for (std::uint32_t i = 0; i < recovery.pieces.size(); ++i) {
        const Unacked& piece = recovery.pieces[i];
        if (psn - piece.first < piece.packets) {
            const std::int64_t before = static_cast<std::int64_t>(psn - piece.first) * flow.unit;
            frame.bytes = static_cast<std::uint16_t>(std::min<std::int64_t>(piece.bytes - before, flow.unit));
            frame.meta = psn - piece.first + 1 == piece.packets ? piece.end_bits : std::uint16_t{0};
        }
    }
    return frame;
}

// Payload and headers of the packet that next_packet() would send for this flow.
[[gnu::always_inline]] inline std::uint32_t next_bytes(const Domain& d, const Flow& flow, std::uint32_t f) {
    if (d.shared.lossy && !d.traffic.is_request(f) && !d.shared.recoveries[f].again.empty()) {
        return asked_for(d.shared.recoveries[f], flow, f).bytes;
    }
    return static_cast<std::uint32_t>(std::min<std::int64_t>(flow.left, flow.unit));
}

// Precondition: the port's sender has a flow that may send at `start`.
[[gnu::noinline]] inline Frame next_packet(Domain& d, const Port& port, Ps start) {
    Sender& sender = d.senders[port.sender];
    const std::uint32_t f = sender.take(start);
    Flow& flow = d.traffic.flows[f];
    const Route& own = d.traffic.routes[f];
    Frame frame;
    frame.flow = f;
    Recovery* const recovery = d.shared.lossy && !d.traffic.is_request(f) ? &d.shared.recoveries[f] : nullptr;
    std::uint32_t psn = flow.psn;
    if (recovery != nullptr && !recovery->again.empty()) {
        frame = asked_for(*recovery, flow, f);
        psn = recovery->again.front();
        recovery->again.pop();
        ++recovery->resent;
    } else {
        frame.bytes = static_cast<std::uint16_t>(std::min<std::int64_t>(flow.left, flow.unit));
        flow.left -= frame.bytes;
        ++flow.psn;
        if (flow.left == 0) {
            frame.meta = flow.end_bits;
            flow.open = false;
        }
    }
    frame.key = psn & 0xffffU;
    std::uint32_t way = 0;
    if (own.variants > 1 || !d.net.epochs.empty()) {
        way = flow.variant = way_of(d, flow, own, start);
        frame.meta = static_cast<std::uint16_t>(frame.meta | (flow.variant << Frame::variant_shift));
    }
    frame.meta |= d.traffic.route_of(f, way).hops == 1 ? Frame::last_hop : std::uint16_t{0};
    if (recovery != nullptr && !recovery->timer) {
        recovery->timer = true;
        recovery->timer_saw = recovery->acked;
        d.mail(
            {d.earliest(flow.node, start + d.options.retransmit_timeout.ps), flow.node, ControlMessage::timeout, f, 0});
    }
    ++d.counts.injected;
    flow.last = start;
    if (recovery != nullptr) { recovery->saw(start); }
    flow.next = paced(d, flow, frame.bytes, start);
    flow.waiting = flow.open || (recovery != nullptr && !recovery->again.empty()) || begin_piece(d, flow, f);
    if (d.shared.timed) { note_sent(d, flow, psn, frame.bytes, start); }
    if (d.shared.gated) {
        if (!d.traffic.readers.empty()) { count_granted(d, f, psn, frame.bytes); }
        flow.waiting = flow.waiting && may_send(d, flow, f);
    }
    if (flow.waiting) { sender.add(f, flow.next, start); }
    return frame;
}

}  // namespace fabricast::inline packet
