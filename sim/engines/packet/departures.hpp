#pragma once
// The sending side of a port: when its next packet may start, what happens when it does, and in which order the ports
// of a node send what may leave by some time.

#include <bit>
#include <cassert>

#include "base/hash.hpp"
#include "sim/engines/packet/flow_control.hpp"
#include "sim/engines/packet/leaving.hpp"
#include "sim/engines/packet/marking.hpp"
#include "sim/engines/packet/receiving.hpp"
#include "sim/engines/packet/sending.hpp"

namespace fabricast::inline packet {

// When the services that the packet needs are free as well. Called only in nodes that have services.
[[gnu::cold]] inline Ps after_services(const Domain& d, const Frame& frame, Ps start) {
    std::uint32_t way = frame.variant();
    const Route& route = d.traffic.route_of(frame.flow, way);
    for (const std::uint32_t s : d.net.services_at(route, way, frame.hop())) {
        start = std::max(start, d.net.services[s].free);
    }
    return start;
}

[[gnu::cold]] inline void use_services(Domain& d, const Frame& frame, Ps start) {
    std::uint32_t way = frame.variant();
    const Route& route = d.traffic.route_of(frame.flow, way);
    for (const std::uint32_t s : d.net.services_at(route, way, frame.hop())) {
        ++d.held_up;
        Service& service = d.net.services[s];
        service.free = std::max(service.free, start) + wire_time(frame.bytes, service.inverse);
    }
}

// When a sender's next packet, which is ready at `start`, can start, as far as is known.
[[gnu::noinline]] inline Ps next_of_sender(Domain& d, Port& port, const Sender& sender, Ps start, Ps until) {
    const std::uint32_t f = sender.peek();
    if (port.serves) {
        Frame first;
        first.flow = f;
        start = after_services(d, first, start);
    }
    if (start > until || (port.control == Control::none && !port.down)) { return start; }
    return admit(d, port, start, until, next_bytes(d, d.traffic.flows[f], f));
}

// When the port's next packet starts, as far as is known; `never` if nothing waits or nothing is known. Most often
// asked of a wire that is still busy, so that answer takes no call.
[[gnu::always_inline]] inline Ps next_start(Domain& d, Port& port, Ps until) {
    if (port.queue.empty()) {
        if (port.sender == none) { return never; }
        const Sender& sender = d.senders[port.sender];
        const Ps start = std::max(port.free, sender.next());
        if (start > until && (!port.serves || start == never)) { return start; }
        return next_of_sender(d, port, sender, start, until);
    }
    const Frame& head = port.queue.front().frame;
    Ps start = std::max(port.free, head.time());
    if (port.serves) { start = after_services(d, head, start); }
    if (start > until || (port.control == Control::none && !port.down)) { return start; }
    return admit(d, port, start, until, head.bytes);
}

// Uses a hash of packet and link instead of a random generator, so that the result does not depend on threads.
[[gnu::cold]] inline bool is_corrupted(const Domain& d, std::uint32_t p, const Frame& frame) {
    const std::uint64_t h = mix(mix(d.options.seed ^ frame.flow ^ (std::uint64_t{p} << 32U)) ^ frame.key);
    return static_cast<double>(h >> 11U) * 0x1p-53 < static_cast<double>(d.port_counts[p].loss);
}

// What a switch writes into the packet for HPCC.
[[gnu::cold]] inline void write_telemetry(Domain& d, std::uint32_t p, const Frame& frame, Ps start) {
    const Port& port = d.ports[p];
    if (!d.nodes[port.from_node].is_switch || d.traffic.is_request(frame.flow)) { return; }
    const std::uint32_t controller = d.traffic.flows[frame.flow].controller;
    if (controller == none) { return; }
    InFlight& flight = d.shared.flight(controller, frame.psn());
    if (flight.hops == InFlight::most_hops) { return; }
    flight.hop[flight.hops++] = {start, port.sent_bytes, port.queued_bytes,
                                 1e12 * (1 << 24) / static_cast<double>(port.inverse), p};
}

[[gnu::cold, gnu::noinline]] inline void watch(Domain& d, std::uint32_t p, const Frame& frame, Ps start) {
    d.shared.series[p].at(start).sent += frame.bytes;
    if (frame.flow != d.shared.sequence.flow) { return; }
    if (frame.hop() == 0) { d.shared.sequence.sent(frame, start); }
    if (!frame.is(Frame::last_hop) || d.net.is_header_lane(p)) { return; }
    const Port& port = d.ports[p];
    d.saw_end(frame,
              d.shared.corrupts && is_corrupted(d, p, frame) ? PacketFlight::dropped
              : is_wanted(d, frame)                          ? PacketFlight::arrived
                                                             : PacketFlight::refused,
              start + port.serialization(frame.bytes) + port.latency);
}

// `one_lane`: known to be alone on its wire.
template <bool one_lane = false>
[[gnu::always_inline]] inline void emit(Domain& d, std::uint32_t p, Port& port, const Frame& frame, Ps start) {
    const Ps wire = port.serialization(frame.bytes);
    port.free = start + wire;
    port.sent_bytes += frame.bytes;
    ++d.counts.hops;
    if (d.noted) [[unlikely]] {
        if (d.watched) { watch(d, p, frame, start); }
        if (d.telemetry) { write_telemetry(d, p, frame, start); }
    }
    if (port.control == Control::credits) { take_credit(d, port, frame.bytes); }
    if (!one_lane && port.lanes > 1) {
        d.net.hold_wire(p, port.free);
        d.net.turns[d.port_counts[p].turns].sent(d.port_counts[p].lane, frame.bytes);
        if (frame.is(Frame::last_hop) && d.net.is_header_lane(p)) {
            refuse_header(d, frame, start + wire + port.latency);
            return;
        }
    }
    if (frame.is(Frame::last_hop)) {
        const Ps tail = start + wire + port.latency;
        if (port.control == Control::credits) {
            port.signal({tail + d.ingress[p].return_latency, frame.bytes, Signal::credit});
        }
        if (d.shared.corrupts && is_corrupted(d, p, frame)) {
            ++d.counts.lost;
            return;
        }
        receive(d, p, frame, tail);
        return;
    }
    const Ps at = start + port.latency + (d.cut_through ? 0 : wire);
    port.wire.push_written([&](Frame& entry) {
        entry = frame;
        entry.at(at);
    });
    d.wake(port.to_node, at);
}

[[gnu::always_inline]] inline void send_one(Domain& d, std::uint32_t p, Port& port, Ps start) {
    if (port.queue.empty()) {
        const Frame frame = next_packet(d, port, start);
        [[maybe_unused]] const bool back = is_taken_back(d, p, frame, start);
        assert(!back);
        if (port.serves) { use_services(d, frame, start); }
        emit(d, p, port, frame, start);
    } else {
        Waiting& waiting = port.queue.front();  // stays there until the next comes
        port.queue.pop();
        port.queued_bytes -= waiting.frame.bytes;
        d.saw_queue(p, start);
        if (!is_taken_back(d, p, waiting.frame, start)) {
            if (port.marks && static_cast<float>(port.queued_bytes) > d.port_counts[p].k_min) {
                mark(d, p, waiting.frame, start);
            }
            if (port.serves) { use_services(d, waiting.frame, start); }
            emit(d, p, port, waiting.frame, start);
        }
        if (waiting.ingress != none) { vacate(d, waiting.ingress, waiting.frame.bytes, start); }
    }
    if (!d.shared.has_traffic(port)) { d.shared.clear_active(port); }
}

// A departure may hold up the node's other ports.
inline bool in_order(const Node& node) { return node.paused_ingresses > 0 || node.serves; }

// Visits each port of the node whose queue or sender has something waiting.
template <class Visit>
[[gnu::always_inline]] inline void for_each_active(const Domain& d, const Node& node, Visit&& visit) {
    for (std::uint32_t word = 0; word * 64 < node.port_count; ++word) {
        for (std::uint64_t bits = d.shared.active[node.first_word + word]; bits != 0; bits &= bits - 1) {
            visit(node.first_port + word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
        }
    }
}

// When the packet that would be sent next on this port arrived there.
[[gnu::cold]] inline Ps first_arrived(const Domain& d, std::uint32_t p) {
    const Port& port = d.ports[p];
    return port.queue.empty() ? d.traffic.flows[d.senders[port.sender].peek()].next : port.queue.front().frame.time();
}

// Which of the lanes with traffic sends first, and when. A start after `until` is only a lower bound.
[[gnu::cold]] inline Turn next_turn(Domain& d, std::uint32_t first, Ps until) {
    Ps start = never;
    std::uint32_t ready = 0;
    for (std::uint32_t lane = 0; lane < d.ports[first].lanes; ++lane) {
        const std::uint32_t p = first + lane;
        if (!d.ports[p].active || d.net.behind_writes(p, first_arrived(d, p))) { continue; }
        const Ps its = next_start(d, d.ports[p], until);
        ready = its < start ? 0 : ready;
        start = std::min(start, its);
        ready |= its == start ? 1U << lane : 0U;
    }
    if (start > until) { return {start, none}; }
    return {start, first + d.net.turns[d.port_counts[first].turns].next(ready)};
}

// Sends what may start up to `until`; returns when there is more to do.
[[gnu::cold]] inline Ps drain_lanes(Domain& d, std::uint32_t first, Ps until) {
    Turn turn = next_turn(d, first, until);
    while (turn.start <= until) {
        send_one(d, turn.port, d.ports[turn.port], turn.start);
        turn = next_turn(d, first, until);
    }
    return turn.start;
}

// The same for one port; or for all lanes of its link, so that the later ones find nothing left to do.
[[gnu::always_inline]] inline Ps drain(Domain& d, std::uint32_t p, Ps until) {
    Port& port = d.ports[p];
    if (port.lanes > 1) [[unlikely]] { return drain_lanes(d, d.net.first_lane(p), until); }
    for (;;) {
        const Ps start = next_start(d, port, until);
        if (start > until) { return start; }
        send_one(d, p, port, start);
    }
}

// The same for a port alone on its wire, when nobody asks for the time: a wire that is busy until later is not asked.
[[gnu::always_inline]] inline void drain_wire(Domain& d, std::uint32_t p, Port& port, Ps until) {
    while (port.free <= until) {
        const Ps start = next_start(d, port, until);
        if (start > until) { return; }
        send_one(d, p, port, start);
    }
}

// Like drain_in_order(), for nodes with shared wires or reads: a departure may change the start of any other.
[[gnu::cold]] inline void drain_entangled(Domain& d, const Node& node, Ps until) {
    for (;;) {
        Turn first{never, none};
        std::uint32_t seen = none;  // first lane of the last link with lanes that was looked at
        for_each_active(d, node, [&](std::uint32_t p) {
            Turn turn{never, none};
            if (d.ports[p].lanes == 1) {
                turn = {next_start(d, d.ports[p], until), p};
            } else if (d.net.first_lane(p) != seen) {
                seen = d.net.first_lane(p);
                turn = next_turn(d, seen, until);
            }
            if (turn.start < first.start) { first = turn; }
        });
        if (first.start > until) { return; }
        send_one(d, first.port, d.ports[first.port], first.start);
    }
}

// Drains all ports of a node in order of time, since a departure may hold up other ports: it may use a service, or
// change a pause, whose frame takes time on a wire. A candidate's start is therefore only a lower bound once something
// was held up, and is computed again when its turn comes.
[[gnu::cold]] inline void drain_in_order(Domain& d, const Node& node, Ps until) {
    if (node.shares_wire) {
        drain_entangled(d, node, until);
        return;
    }
    d.candidates.clear();
    for_each_active(d, node, [&](std::uint32_t p) {
        const Ps start = next_start(d, d.ports[p], until);
        if (start <= until) { d.candidates.push_back({{start, p}, d.held_up}); }
    });
    while (!d.candidates.empty()) {
        Domain::Candidate& first =
            *std::ranges::min_element(d.candidates, std::ranges::less(), &Domain::Candidate::turn);
        if (first.as_of == d.held_up) { send_one(d, first.turn.port, d.ports[first.turn.port], first.turn.start); }
        first.turn.start = next_start(d, d.ports[first.turn.port], until);
        first.as_of = d.held_up;
        if (first.turn.start > until) {
            first = d.candidates.back();
            d.candidates.pop_back();
        }
    }
}

// Drains all ports up to `until`; returns when there is more to do.
inline Ps drain_all(Domain& d, const Node& node, Ps until) {
    if (in_order(node)) { drain_in_order(d, node, until); }
    Ps next = never;
    for_each_active(
        d, node, [&](std::uint32_t p) __attribute__((always_inline)) { next = std::min(next, drain(d, p, until)); });
    return next;
}

}  // namespace fabricast::inline packet
