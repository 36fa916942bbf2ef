// Lanes that share a wire: which one sends next, and what its packet means for the others.

namespace fabricast::packet {

inline std::uint32_t Worker::pause_bytes() const {
    return static_cast<std::uint32_t>(options_.pause_quanta) * static_cast<std::uint32_t>(pfc::quantum_bits / 8);
}

inline void Worker::take_credit(std::uint32_t p, std::uint32_t bytes) {
    Port& port = net_.ports[p];
    port.credits -= net_.cost(port, bytes);
    if (port.form != 0 && net_.forms[port.form].headers) {
        net_.counts[p].headers -= static_cast<std::int32_t>(net_.forms[port.form].packets(bytes));
    }
}

// Makes the wire busy until then, for all its lanes.
inline void Worker::hold_wire(std::uint32_t p, Ps until) {
    const std::uint32_t first = net_.first_lane(p);
    for (std::uint32_t lane = first; lane < first + net_.ports[p].lanes; ++lane) {
        net_.ports[lane].free = std::max(net_.ports[lane].free, until);
    }
}

inline bool Worker::any_active(std::uint32_t p) const {
    const std::uint32_t first = net_.first_lane(p);
    for (std::uint32_t lane = first; lane < first + net_.ports[p].lanes; ++lane) {
        if (net_.ports[lane].active) {
            return true;
        }
    }
    return false;
}

// PCIe without relaxed ordering: reads and completions may not pass writes that came before them, while writes may pass
// everything (PCI-SIG Base 5.0 table 2-40: otherwise two devices that read from each other could wait for ever).
inline bool Worker::behind_writes(std::uint32_t p, Ps arrived) const {
    const Port& port = net_.ports[p];
    const bool orders = port.form != 0 && net_.forms[port.form].headers && !net_.weak_order;
    const std::uint8_t lane = net_.counts[p].lane;
    if (!orders || lane == posted) {
        return false;
    }
    const Port& writes = net_.ports[p - lane];
    return !writes.queue.empty() && writes.queue.front().frame.time() <= arrived;
}

// When the packet that would be sent next on this port arrived there.
inline Ps Worker::first_arrived(std::uint32_t p) const {
    const Port& port = net_.ports[p];
    return port.queue.empty() ? traffic_.flows[shared_.senders[port.sender].peek()].next
                              : port.queue.front().frame.time();
}

// Which of the lanes with traffic sends first, and when. A start after `until` is only a lower bound.
inline Worker::Turn Worker::next_turn(std::uint32_t first, Ps until) {
    Ps start = never;
    std::uint32_t ready = 0;
    for (std::uint32_t lane = 0; lane < net_.ports[first].lanes; ++lane) {
        const std::uint32_t p = first + lane;
        if (!net_.ports[p].active || behind_writes(p, first_arrived(p))) {
            continue;
        }
        const Ps its = next_start(p, until);
        ready = its < start ? 0 : ready;
        start = std::min(start, its);
        ready |= its == start ? 1U << lane : 0U;
    }
    if (start > until) {
        return {start, none};
    }
    return {start, first + net_.turns[net_.counts[first].turns].next(ready)};
}

// Sends what may start up to `until`; returns when there is more to do.
inline Ps Worker::drain_lanes(std::uint32_t first, Ps until) {
    Turn turn = next_turn(first, until);
    while (turn.start <= until) {
        send_one(turn.port, turn.start);
        turn = next_turn(first, until);
    }
    return turn.start;
}

}  // namespace fabricast::packet
