#pragma once
// What the two ends of a link tell each other: the sender's and the receiver's half of the flow-control policies.

#include "sim/engines/packet/domain.hpp"

namespace fabricast::inline packet {

struct Lifting {
    Ps time;
    bool by_watchdog;  // a watchdog overrides the pause
};

// When a pause ends by itself: its quanta are over without a refresh, or the watchdog overrides it.
[[gnu::cold]] inline Lifting lifts(const Packet& options, const PortCounts& counts) {
    const Ps by_watchdog = options.pfc_watchdog.ps > 0 ? counts.paused_since + options.pfc_watchdog.ps : never;
    return by_watchdog < counts.paused_until ? Lifting{by_watchdog, true} : Lifting{counts.paused_until, false};
}

[[gnu::always_inline]] inline void add_credit(Domain& d, Port& port, std::uint32_t bytes) {
    port.credits += d.net.cost(port, bytes);
    if (port.headers) {
        const std::uint32_t headers = d.net.forms[port.form].packets(bytes);
        d.port_counts[d.net.number_of(port)].headers += static_cast<std::int32_t>(headers);
    }
}

[[gnu::noinline]] inline void apply_pause(Domain& d, std::uint32_t p, const Signal& signal) {
    Port& port = d.ports[p];
    switch (signal.kind) {
        case Signal::credit: return;  // add_credit()
        case Signal::pause: {
            PortCounts& counts = d.port_counts[p];
            counts.paused_until = signal.time + port.serialization(pause_bytes(d.options));
            if (!port.paused && !counts.ignores) {
                port.paused = true;
                counts.paused_since = signal.time;
            }
            return;
        }
        case Signal::resume:
            d.port_counts[p].ignores = false;
            if (port.paused) {
                port.paused = false;
                d.port_counts[p].paused += signal.time - d.port_counts[p].paused_since;
                if (d.watched) {
                    d.shared.series[p].saw_pause(d.port_counts[p].paused_since, signal.time);
                    d.shared.sequence.paused(p, d.port_counts[p].paused_since, signal.time);
                }
            }
            return;
    }
}

[[gnu::always_inline]] inline void apply(Domain& d, Port& port, const Signal& signal) {
    if (signal.kind == Signal::credit) {
        add_credit(d, port, static_cast<std::uint32_t>(signal.value));
    } else {
        apply_pause(d, d.net.number_of(port), signal);
    }
}

// The same, after applying the receiver's signals that have come by then or will come.
inline Ps hear(Domain& d, Port& port, Ps start, Ps until, std::uint32_t bytes) {
    const std::uint32_t p = d.net.number_of(port);
    const Ps asked = start;
    LinkRing<Signal>& signals = port.signals;
    signals.pop_while([&](const Signal& signal) {
        if (signal.due() > start) { return false; }
        apply(d, port, signal);
        return true;
    });
    while (d.net.blocked(port, bytes)) {
        const Ps next = signals.empty() ? never : signals.front().due();
        if (port.paused) {
            const Lifting lifting = lifts(d.options, d.port_counts[p]);
            const Ps at = std::max(start, lifting.time);
            if (at < next) {
                if (at > until) { return at; }
                apply_pause(d, p, {at, 0, Signal::resume});
                d.port_counts[p].ignores = lifting.by_watchdog;
                d.port_counts[p].watchdog += lifting.by_watchdog ? 1 : 0;
                start = at;
                continue;
            }
        }
        if (next > until) { return std::max(next, until + 1); }
        start = std::max(start, next);
        apply(d, port, signals.front());
        signals.pop();
    }
    if (start > asked) {
        // The signal that released the packet has been taken from the ring, so its time must be kept here.
        port.free = std::max(port.free, start);
        if (port.control == Control::credits) {
            d.port_counts[p].starved += start - asked;
            d.port_counts[p].starved_until = start;
        }
    }
    return start;
}

// The same for a port that only a lack of credits can hold back, and only one kind of them: most links inside a node.
inline Ps hear_credits(Domain& d, Port& port, Ps start, Ps until, std::uint32_t bytes) {
    const Ps asked = start;
    const std::int64_t needed = d.net.cost(port, bytes);
    std::int64_t credits = port.credits;
    Ps next = never;
    port.signals.pop_while([&](const Signal& signal) __attribute__((always_inline)) {
        const Ps due = signal.due();
        if (due > start) {
            if (credits >= needed) { return false; }
            if (due > until) {
                next = due;
                return false;
            }
            start = due;
        }
        const auto returned = static_cast<std::uint32_t>(signal.value);
        credits += returned == bytes ? needed : d.net.cost(port, returned);
        return true;
    });
    port.credits = credits;
    if (credits < needed) { return std::max(next, until + 1); }
    if (start > asked) {  // as above
        port.free = std::max(port.free, start);
        PortCounts& counts = d.port_counts[d.net.number_of(port)];
        counts.starved += start - asked;
        counts.starved_until = start;
    }
    return start;
}

// The earliest start at or after `start` that the receiver allows; later than `until` if that is not known yet.
[[gnu::always_inline]] inline Ps admit(Domain& d, Port& port, Ps start, Ps until, std::uint32_t bytes) {
    if ((!port.signalled.load(std::memory_order_relaxed) || port.signals.empty() ||
         port.signals.front().due() > start) &&
        !d.net.blocked(port, bytes)) {
        return start;
    }
    const bool by_credits = port.control == Control::credits && !port.down && !port.headers;
    return by_credits ? hear_credits(d, port, start, until, bytes) : hear(d, port, start, until, bytes);
}

[[gnu::always_inline]] inline void take_credit(Domain& d, Port& port, std::uint32_t bytes) {
    port.credits -= d.net.cost(port, bytes);
    if (port.headers) {
        const std::uint32_t headers = d.net.forms[port.form].packets(bytes);
        d.port_counts[d.net.number_of(port)].headers -= static_cast<std::int32_t>(headers);
    }
}

[[gnu::always_inline]] inline void return_credit(Domain& d, std::uint32_t in, std::uint32_t bytes, Ps at) {
    Port& port = d.ports[in];
    Ingress& ingress = d.ingress[in];
    const Ps heard = at + ingress.return_latency;
    const Signal signal{heard, static_cast<std::int32_t>(bytes), Signal::credit};
    if (heard >= ingress.last_credit) {
        ingress.last_credit = heard;
        port.signal(signal);
    } else {  // another port of the node was drained first, up to a later time
        port.signals.insert(signal);
    }
    // A sender in another island must be woken. In this one, a port without packets looks for signals when it has one.
    if (d.island_of[port.from_node] != d.island || port.active) { d.wake(port.from_node, heard); }
}

// Sends a PFC frame in the other direction of the link. It waits for the packet that is being sent there, takes its own
// time on the wire, and takes effect after the sender's reaction time.
[[gnu::cold]] inline void tell_pause(Domain& d, std::uint32_t in, bool paused, Ps now) {
    Ingress& ingress = d.ingress[in];
    Port& port = d.ports[in];
    ingress.told_at = now;
    Ps sent = now;
    if (ingress.reverse != none) {
        Port& back = d.ports[ingress.reverse];
        ++d.held_up;
        back.free = std::max(back.free, now) + wire_time(static_cast<std::uint64_t>(pfc::frame.count), back.inverse);
        d.net.hold_wire(ingress.reverse, back.free);
        sent = back.free;
    }
    const Ps heard = sent + ingress.return_latency + ingress.reaction;
    port.signal({heard, 0, paused ? Signal::pause : Signal::resume});
    d.wake(port.from_node, heard);
}

// A pause lasts for its quanta, and is sent again after half of them.
[[gnu::cold]] inline void set_paused(Domain& d, std::uint32_t in, bool paused, Ps now) {
    Ingress& ingress = d.ingress[in];
    Port& port = d.ports[in];
    Node& node = d.nodes[port.to_node];
    ingress.paused = paused;
    node.paused_ingresses += paused ? 1U : -1U;
    if (paused) { node.used_most = std::max(node.used_most, node.used); }
    ingress.pauses += paused ? 1 : 0;
    tell_pause(d, in, paused, now);
    if (paused && !ingress.will_refresh) {
        ingress.will_refresh = true;
        ++node.refreshing;
        const Ps again = now + ingress.serialization(pause_bytes(d.options)) / 2;
        d.mail({d.earliest(port.to_node, again), port.to_node, ControlMessage::refresh, in, 0});
    }
}

[[gnu::always_inline]] inline void vacate(Domain& d, std::uint32_t in, std::uint32_t bytes, Ps now) {
    const Control control = d.ports[in].control;
    if (control == Control::none) { return; }
    if (control == Control::credits) {
        return_credit(d, in, bytes, now);
        return;
    }
    Ingress& ingress = d.ingress[in];
    Node& node = d.nodes[d.ports[in].to_node];
    const std::int64_t from_headroom = std::min<std::int64_t>(ingress.over, bytes);
    ingress.over -= from_headroom;
    ingress.bytes -= bytes - from_headroom;
    node.used -= bytes - from_headroom;
    if (ingress.paused && ingress.over == 0) {
        const double threshold = pause_threshold(d.options, node, ingress, node.used);
        const double resume = std::max(0.0, threshold - static_cast<double>(d.options.xon_offset.count));
        if (static_cast<double>(ingress.bytes) <= resume) { set_paused(d, in, false, now); }
    }
}

}  // namespace fabricast::inline packet
