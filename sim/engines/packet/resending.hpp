#pragma once
// What makes a flow go on or send again: acknowledgements, gaps, timeouts, and tags that are free again.

#include "sim/engines/packet/leaving.hpp"
#include "sim/engines/packet/sending.hpp"

namespace fabricast::inline packet {

// Drops pieces of which all packets have arrived.
[[gnu::cold]] inline void forget_pieces(Recovery& recovery, const Flow& flow) {
    while (!recovery.pieces.empty() && recovery.replay > (flow.open ? 1U : 0U)) {
        const Unacked& first = recovery.pieces.front();
        if (static_cast<std::int32_t>(recovery.acked - (first.first + first.packets)) < 0) { return; }
        recovery.pieces.pop_front();
        --recovery.replay;
    }
}

[[gnu::cold]] inline void on_ack(Domain& d, std::uint32_t f, std::uint32_t psn, Ps now) {
    Recovery& recovery = d.shared.recoveries[f];
    if (static_cast<std::int32_t>(psn - recovery.acked) > 0) { recovery.acked = psn; }
    forget_pieces(recovery, d.traffic.flows[f]);
    wake_flow(d, f, now);
}

// What a window no longer holds: one packet, or (go-back-N) all.
[[gnu::cold]] inline void give_up(Domain& d, const Flow& flow, Ps now) {
    if (!d.shared.windowed() || flow.controller == none) { return; }
    Window& window = d.shared.windows[flow.controller];
    if (d.shared.control == CongestionControl::nscc) {
        d.shared.nscc[flow.controller].on_loss(d.options.nscc, now, flow.unit, window.bytes);
    }
    if (repeats_selectively(d.options)) {
        window.left(flow.unit);
    } else {
        window = {};
    }
}

// A packet's header has come without its data. `psn`: the low bits of its number.
[[gnu::cold]] inline void on_trimmed(Domain& d, std::uint32_t f, std::uint32_t psn, Ps now) {
    Recovery& recovery = d.shared.recoveries[f];
    const Flow& flow = d.traffic.flows[f];
    const std::uint32_t whole = widen(static_cast<std::uint16_t>(psn), flow.psn);
    give_up(d, flow, now);
    recovery.timer_saw = recovery.acked + 1;  // it was heard of, so the timer begins anew
    if (static_cast<std::int32_t>(whole - recovery.acked) >= 0) { recovery.again.push(whole); }  // else a duplicate
    wake_flow(d, f, now);
}

// Sends again everything from `psn` on (go-back-N), or only that packet (selective repeat).
[[gnu::cold]] inline void rewind(Domain& d, std::uint32_t f, std::uint32_t psn, Ps now) {
    Recovery& recovery = d.shared.recoveries[f];
    Flow& flow = d.traffic.flows[f];
    if (static_cast<std::int32_t>(psn - recovery.acked) < 0) { return; }  // an acknowledgement came first
    give_up(d, flow, now);
    if (repeats_selectively(d.options)) {
        recovery.again.push(psn);
        wake_flow(d, f, now);
        return;
    }
    for (std::uint32_t i = 0; i < recovery.pieces.size(); ++i) {
        const Unacked& piece = recovery.pieces[i];
        if (psn - piece.first < piece.packets) {
            recovery.resent += static_cast<std::int32_t>(flow.psn - psn);
            flow.psn = psn;
            recovery.next.fill(psn);
            flow.left = piece.bytes - static_cast<std::int64_t>(psn - piece.first) * flow.unit;
            flow.end_bits = piece.end_bits;
            flow.open = true;
            recovery.replay = i + 1;
            wake_flow(d, f, now);
            return;
        }
    }
}

[[gnu::cold]] inline void on_timeout(Domain& d, std::uint32_t f, Ps now) {
    Recovery& recovery = d.shared.recoveries[f];
    recovery.timer = false;
    const Flow& flow = d.traffic.flows[f];
    forget_pieces(recovery, flow);  // those that had to stay while they were being sent again
    if (recovery.pieces.empty() && !flow.open) { return; }
    if (recovery.acked == recovery.timer_saw && flow.psn != recovery.acked && !waits_inside(d, f)) {
        ++recovery.timeouts;
        if (f == d.shared.sequence.flow) { d.shared.sequence.heard(PacketSignal::timeout, recovery.acked, now); }
        if (d.shared.trims() && !recovery.again.empty()) {  // the window is full of what was lost
            give_up(d, flow, now);
            wake_flow(d, f, now);
        } else {
            rewind(d, f, recovery.acked, now);
        }
    }
    recovery.timer = true;
    recovery.timer_saw = recovery.acked;
    d.mail({d.earliest(flow.node, now + d.options.retransmit_timeout.ps), flow.node, ControlMessage::timeout, f, 0});
}

// A packet has arrived: its sender's window moves.
[[gnu::cold]] inline void on_echo(Domain& d, std::uint32_t f, std::uint32_t value, Ps now) {
    const Flow& flow = d.traffic.flows[f];
    const std::uint32_t c = flow.controller;
    const std::uint32_t psn = widen(static_cast<std::uint16_t>(value), flow.psn);
    const InFlight& flight = d.shared.flight(c, psn);
    d.shared.windows[c].left(value >> 16U);
    if (d.shared.control == CongestionControl::hpcc) {
        d.shared.hpcc[c].on_echo(d.options.hpcc, {flight.hop, flight.hops}, psn, flow.psn);
    } else if (d.shared.control == CongestionControl::nscc) {
        d.shared.nscc[c].on_echo(d.options.nscc, now, {flight.sent, value >> 16U, flight.marked},
                                 d.shared.windows[c].bytes);
    } else {
        d.shared.swift[c].on_echo(d.options.swift, now, flight.sent);
    }
    wake_flow(d, f, now);
}

// Called when data has come to the device that asked for it.
[[gnu::cold]] inline void return_tag(Domain& d, std::uint32_t r, std::uint32_t bytes, Ps now) {
    Requester& requester = d.traffic.requesters[d.traffic.readers[r].requester];
    requester.outstanding = std::max<std::int64_t>(0, requester.outstanding - bytes);
    for (std::uint32_t waiting = requester.waiting.size(); waiting > 0; --waiting) {
        Reader& next = d.traffic.readers[requester.waiting.front()];
        requester.waiting.pop();
        next.waits = false;
        wake_flow(d, next.requests, now);
        if (next.waits) { return; }  // still no tag for its request
    }
}

}  // namespace fabricast::inline packet
