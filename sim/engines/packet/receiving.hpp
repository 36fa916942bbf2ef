#pragma once
// Flows at the node before their last link: what is sent there is certain to arrive, so others can be told in time.

#include "sim/engines/packet/reads.hpp"

namespace fabricast::inline packet {

// The receiver's answer travels without queueing: it is small and of high priority.
inline Ps way_back(const Traffic& traffic, std::uint32_t f) { return traffic.network.latency_of(traffic.routes[f]); }

inline void tell_sender(Domain& d, std::uint32_t f, ControlMessage::Kind kind, std::uint32_t value, Ps tail) {
    d.mail({tail + way_back(d.traffic, f), d.traffic.flows[f].node, kind, f, value});
}

// A trimmed packet's header has come: its sender may send it again at once.
[[gnu::cold]] inline void refuse_header(Domain& d, const Frame& header, Ps tail) {
    tell_sender(d, header.flow, ControlMessage::trimmed, header.psn(), tail);
}

[[gnu::noinline]] inline void complete(Domain& d, std::uint32_t p, std::uint32_t f, std::uint16_t meta, Ps tail) {
    if (f < d.shared.arrivals.size() && d.shared.arrivals[f].size() < pieces_kept) {
        d.shared.arrivals[f].push_back({tail});
    }
    if (!d.traffic.is_stream(f)) {
        Messages& messages = d.traffic.connections[f];
        d.done.push_back({tail, Done::message, d.traffic.message_ops[messages.arrived++]});
        return;
    }
    const std::uint32_t s = d.traffic.stream_of(f);
    if (d.traffic.streams[s].tells) {
        Frame told;
        told.flow = f;
        told.meta = Frame::notice;
        told.at(tail);
        d.ports[p].wire.push(told);
        d.wake(d.ports[p].to_node, tail);
    }
    if ((meta & Frame::stream_end) != 0) { d.done.push_back({tail, Done::stream, s}); }
}

inline std::uint32_t packets_of_piece(const Traffic& traffic, std::uint32_t f, std::uint32_t piece) {
    const std::uint32_t unit = traffic.flows[f].unit;
    return static_cast<std::uint32_t>((bytes_of_piece(traffic, f, piece) + unit - 1) / unit);
}

// On several paths packets overtake each other, so packets are only counted: a piece is complete when as many have come
// as it and the pieces before it have together.
[[gnu::cold]] inline void receive_spread(Domain& d, std::uint32_t p, const Frame& frame, Ps tail) {
    const std::uint32_t f = frame.flow;
    Receiver& receiver = d.traffic.receivers[f];
    ++receiver.got;
    while (receiver.got > 0 && receiver.got >= packets_of_piece(d.traffic, f, receiver.piece)) {
        receiver.got -= packets_of_piece(d.traffic, f, receiver.piece);
        ++receiver.piece;
        const bool last = d.traffic.is_stream(f) && receiver.piece == d.traffic.streams[d.traffic.stream_of(f)].pieces;
        complete(d, p, f, last ? Frame::stream_end : std::uint16_t{0}, tail);
    }
}

// Selective repeat: asks for each gap once, and for all gaps again when they should have come long ago.
[[gnu::cold]] inline void ask_for_missing(Domain& d, std::uint32_t f, Ps tail) {
    if (d.shared.trims()) { return; }  // it was overtaken, or its header will come
    Receiver& receiver = d.traffic.receivers[f];
    const std::deque<std::uint16_t>& early = d.shared.recoveries[f].early;
    if (tail - receiver.asked_at > 16 * way_back(d.traffic, f)) {
        receiver.asked_at = tail;
        receiver.asked_up_to = receiver.expected;
    }
    for (std::uint32_t i = 0; i < early.size(); ++i) {
        const std::uint32_t psn = receiver.expected + i;  // entry i of `early` is the packet after it
        const bool missing = i == 0 || early[i - 1] == 0;
        if (missing && static_cast<std::int32_t>(psn - receiver.asked_up_to) >= 0) {
            tell_sender(d, f, ControlMessage::nak, psn, tail);
            receiver.asked_up_to = psn + 1;
        }
    }
}

// Whether its receiver takes the packet, rather than to refuse it as a duplicate or, going back N, as out of order.
[[gnu::cold]] inline bool is_wanted(const Domain& d, const Frame& frame) {
    if (!d.shared.lossy) { return true; }
    const std::uint32_t expected = d.traffic.receivers[frame.flow].expected;
    const std::uint32_t ahead = widen(frame.psn(), expected) - expected;
    const std::deque<std::uint16_t>& early = d.shared.recoveries[frame.flow].early;
    if (ahead == 0 || static_cast<std::int32_t>(ahead) < 0) { return ahead == 0; }
    return repeats_selectively(d.options) && (ahead > early.size() || early[ahead - 1] == 0);
}

[[gnu::cold]] inline void receive_lossy(Domain& d, std::uint32_t p, const Frame& frame, Ps tail) {
    const std::uint32_t f = frame.flow;
    Receiver& receiver = d.traffic.receivers[f];
    const std::uint32_t psn = widen(frame.psn(), receiver.expected);
    const auto ahead = static_cast<std::int32_t>(psn - receiver.expected);
    if (ahead < 0) {  // a duplicate: its sender has not got the acknowledgement
        tell_sender(d, f, ControlMessage::ack, receiver.expected, tail);
        return;
    }
    const bool selective = repeats_selectively(d.options);
    std::deque<std::uint16_t>& early = d.shared.recoveries[f].early;
    if (ahead > 0 && selective) {
        early.resize(std::max(early.size(), static_cast<std::size_t>(ahead)), 0);
        early[static_cast<std::size_t>(ahead) - 1] = static_cast<std::uint16_t>(frame.meta | 1U);
        ask_for_missing(d, f, tail);
        return;
    }
    if (ahead > 0) {
        if (!receiver.asked) {
            receiver.asked = true;
            tell_sender(d, f, ControlMessage::nak, receiver.expected, tail);
        }
        return;
    }
    std::uint16_t meta = frame.meta;
    for (bool more = true; more;) {
        ++receiver.expected;
        ++receiver.unacked;
        receiver.asked = false;
        const bool ends = (meta & Frame::piece_end) != 0;
        if (ends) { complete(d, p, f, meta, tail); }
        if (ends || receiver.unacked >= 16) {
            receiver.unacked = 0;
            tell_sender(d, f, ControlMessage::ack, receiver.expected, tail);
        }
        more = false;
        if (!early.empty()) {
            meta = early.front();
            early.pop_front();
            more = meta != 0;
            if (!more && !early.empty()) { ask_for_missing(d, f, tail); }
        }
    }
}

// Tells a sender that goes by round trips, or by what its packets met.
[[gnu::cold]] inline void echo(Domain& d, std::uint32_t f, const Frame& frame, Ps tail) {
    const std::uint32_t controller = d.traffic.flows[f].controller;
    if (controller == none) { return; }
    if (d.shared.windowed()) {
        d.shared.flight(controller, frame.psn()).marked = frame.is(Frame::marked);
        tell_sender(d, f, ControlMessage::echo, std::uint32_t{frame.bytes} << 16U | frame.psn(), tail);
    } else if (!d.shared.lossy && (frame.psn() + 1U) % d.shared.ack_every[controller] == 0) {
        tell_sender(d, f, ControlMessage::ack, frame.psn(), tail);
    }
}

// Where more is done with a packet than to see whether it ends a piece.
[[gnu::noinline]] inline void receive_watched(Domain& d, std::uint32_t p, const Frame& frame, Ps tail) {
    const std::uint32_t f = frame.flow;
    if (d.traffic.is_request(f)) {
        receive_request(d, f, frame, tail);
        return;
    }
    d.counts.delivered_bytes += frame.bytes;
    if (!d.traffic.readers.empty()) { end_read(d, f, frame, tail); }
    const bool echoes =
        d.shared.control == CongestionControl::dcqcn || d.shared.control == CongestionControl::infiniband;
    if (frame.is(Frame::marked) && echoes && d.traffic.flows[f].controller != none) {
        Receiver& receiver = d.traffic.receivers[f];
        const Ps interval = d.shared.control == CongestionControl::dcqcn ? d.options.dcqcn.cnp_interval.ps : 0;
        if (tail - receiver.last_notice >= interval) {
            receiver.last_notice = tail;
            ++d.counts.notices;
            tell_sender(d, f, ControlMessage::notice, 0, tail);
        }
    }
    if (d.shared.timed) { echo(d, f, frame, tail); }
    if (d.shared.lossy) {
        receive_lossy(d, p, frame, tail);
        return;
    }
    if (d.traffic.routes[f].variants > 1) {
        receive_spread(d, p, frame, tail);
    } else if (frame.is(Frame::piece_end)) {
        complete(d, p, f, frame.meta, tail);
    }
}

[[gnu::always_inline]] inline void receive(Domain& d, std::uint32_t p, const Frame& frame, Ps tail) {
    ++d.counts.delivered;
    if (!d.only_counts) {
        receive_watched(d, p, frame, tail);
        return;
    }
    d.counts.delivered_bytes += frame.bytes;
    if (frame.is(Frame::piece_end)) { complete(d, p, frame.flow, frame.meta, tail); }
}

}  // namespace fabricast::inline packet
