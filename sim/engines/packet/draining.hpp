#pragma once
// In which order the ports of a node send what may leave by some time.

#include <bit>

#include "sim/engines/packet/departures.hpp"

namespace fabricast::inline packet {

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
    const Port& port = d.net.ports[p];
    return port.queue.empty() ? d.traffic.flows[d.shared.senders[port.sender].peek()].next
                              : port.queue.front().frame.time();
}

// Which of the lanes with traffic sends first, and when. A start after `until` is only a lower bound.
[[gnu::cold]] inline Turn next_turn(Domain& d, std::uint32_t first, Ps until) {
    Ps start = never;
    std::uint32_t ready = 0;
    for (std::uint32_t lane = 0; lane < d.net.ports[first].lanes; ++lane) {
        const std::uint32_t p = first + lane;
        if (!d.net.ports[p].active || d.net.behind_writes(p, first_arrived(d, p))) { continue; }
        const Ps its = next_start(d, p, until);
        ready = its < start ? 0 : ready;
        start = std::min(start, its);
        ready |= its == start ? 1U << lane : 0U;
    }
    if (start > until) { return {start, none}; }
    return {start, first + d.net.turns[d.net.counts[first].turns].next(ready)};
}

// Sends what may start up to `until`; returns when there is more to do.
[[gnu::cold]] inline Ps drain_lanes(Domain& d, std::uint32_t first, Ps until) {
    Turn turn = next_turn(d, first, until);
    while (turn.start <= until) {
        send_one(d, turn.port, turn.start);
        turn = next_turn(d, first, until);
    }
    return turn.start;
}

// The same for one port; or for all lanes of its link, so that the later ones find nothing left to do.
[[gnu::always_inline]] inline Ps drain(Domain& d, std::uint32_t p, Ps until) {
    if (d.net.ports[p].lanes > 1) { return drain_lanes(d, d.net.first_lane(p), until); }
    Ps start = next_start(d, p, until);
    while (start <= until) {
        send_one(d, p, start);
        start = next_start(d, p, until);
    }
    return start;
}

// Like drain_in_order(), for nodes whose ports share wires, or with reads: each departure may change the start of any
// other.
inline void drain_entangled(Domain& d, const Node& node, Ps until) {
    for (;;) {
        Turn first{never, none};
        std::uint32_t seen = none;  // first lane of the last link with lanes that was looked at
        for_each_active(d, node, [&](std::uint32_t p) {
            Turn turn{never, none};
            if (d.net.ports[p].lanes == 1) {
                turn = {next_start(d, p, until), p};
            } else if (d.net.first_lane(p) != seen) {
                seen = d.net.first_lane(p);
                turn = next_turn(d, seen, until);
            }
            if (turn.start < first.start) { first = turn; }
        });
        if (first.start > until) { return; }
        send_one(d, first.port, first.start);
    }
}

// Drains all ports of a node in order of time, since a departure may hold up other ports: it may use a service, or
// change a pause, whose frame takes time on a wire. A candidate's start is therefore only a lower bound once something
// was held up, and is computed again when its turn comes.
inline void drain_in_order(Domain& d, const Node& node, Ps until) {
    if (node.shares_wire) {
        drain_entangled(d, node, until);
        return;
    }
    d.candidates.clear();
    for_each_active(d, node, [&](std::uint32_t p) {
        const Ps start = next_start(d, p, until);
        if (start <= until) { d.candidates.push_back({{start, p}, d.held_up}); }
    });
    while (!d.candidates.empty()) {
        Domain::Candidate& first =
            *std::ranges::min_element(d.candidates, std::ranges::less(), &Domain::Candidate::turn);
        if (first.as_of == d.held_up) { send_one(d, first.turn.port, first.turn.start); }
        first.turn.start = next_start(d, first.turn.port, until);
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
    for_each_active(d, node, [&](std::uint32_t p) { next = std::min(next, drain(d, p, until)); });
    return next;
}

}  // namespace fabricast::inline packet
