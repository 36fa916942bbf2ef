// Sending side of a port: when the next packet may start, and what happens when it does.

namespace fabricast::packet {

inline void Worker::set_active(std::uint32_t p) {
    Port& port = net_.ports[p];
    port.active = true;
    shared_.active[net_.nodes[port.from_node].first_word + port.slot / 64] |= std::uint64_t{1} << (port.slot % 64);
}
inline void Worker::clear_active(std::uint32_t p) {
    Port& port = net_.ports[p];
    port.active = false;
    shared_.active[net_.nodes[port.from_node].first_word + port.slot / 64] &= ~(std::uint64_t{1} << (port.slot % 64));
}

inline void Worker::apply(std::uint32_t p, const Signal& signal) {
    Port& port = net_.ports[p];
    switch (signal.kind) {
        case Signal::credit: {
            const auto bytes = static_cast<std::uint32_t>(signal.value);
            port.credits += net_.cost(port, bytes);
            if (port.form != 0 && net_.forms[port.form].headers) {
                net_.counts[p].headers += static_cast<std::int32_t>(net_.forms[port.form].packets(bytes));
            }
            return;
        }
        case Signal::pause: {
            PortCounts& counts = net_.counts[p];
            counts.paused_until = signal.time + port.serialization(pause_bytes());
            if (!port.paused && !counts.ignores) {
                port.paused = true;
                counts.paused_since = signal.time;
            }
            return;
        }
        case Signal::resume:
            net_.counts[p].ignores = false;
            if (port.paused) {
                port.paused = false;
                net_.counts[p].paused += signal.time - net_.counts[p].paused_since;
                if (!shared_.series.empty()) {
                    shared_.series[p].saw_pause(net_.counts[p].paused_since, signal.time);
                }
            }
            return;
    }
}

// The earliest start at or after `start` that the receiver allows; later than `until` if that is not known yet.
inline Ps Worker::admit(std::uint32_t p, Ps start, Ps until, std::uint32_t bytes) {
    const Port& port = net_.ports[p];
    if ((!port.has_signal.is_raised() || port.signals.empty() || port.signals.front().time > start) &&
        !net_.blocked(p, bytes)) {
        return start;
    }
    return hear(p, start, until, bytes);
}

// The same, after applying the receiver's signals that have come by then or will come.
inline Ps Worker::hear(std::uint32_t p, Ps start, Ps until, std::uint32_t bytes) {
    Port& port = net_.ports[p];
    const Ps asked = start;
    LinkRing<Signal>& signals = port.signals;
    while (!signals.empty() && signals.front().time <= start) {
        apply(p, signals.front());
        signals.pop();
    }
    while (net_.blocked(p, bytes)) {
        const Ps next = signals.empty() ? never : signals.front().time;
        if (port.paused) {
            const Lifting lifting = lifts(net_.counts[p]);
            const Ps at = std::max(start, lifting.time);
            if (at < next) {
                if (at > until) {
                    return at;
                }
                apply(p, {at, 0, Signal::resume});
                net_.counts[p].ignores = lifting.by_watchdog;
                net_.counts[p].watchdog += lifting.by_watchdog ? 1 : 0;
                start = at;
                continue;
            }
        }
        if (next > until) {
            return std::max(next, until + 1);
        }
        start = std::max(start, next);
        apply(p, signals.front());
        signals.pop();
    }
    if (start > asked) {
        // The signal that released the packet has been taken from the ring, so its time must be kept here.
        port.free = std::max(port.free, start);
        if (port.control == Control::credits) {
            net_.counts[p].starved += start - asked;
            net_.counts[p].starved_until = start;
        }
    }
    return start;
}

// When a pause ends by itself: its quanta are over without a refresh, or the watchdog overrides it.
inline Worker::Lifting Worker::lifts(const PortCounts& counts) const {
    const Ps by_watchdog = options_.pfc_watchdog.ps > 0 ? counts.paused_since + options_.pfc_watchdog.ps : never;
    return by_watchdog < counts.paused_until ? Lifting{by_watchdog, true} : Lifting{counts.paused_until, false};
}

// When the services that the packet needs are free as well. Called only in nodes that have services.
inline Ps Worker::after_services(std::uint32_t, const Frame& frame, Ps start) const {
    std::uint32_t way = frame.variant();
    const Route& route = traffic_.route_of(frame.flow, way);
    for (const std::uint32_t s : net_.services_at(route, way, frame.hop())) {
        start = std::max(start, net_.services[s].free);
    }
    return start;
}

inline void Worker::use_services(std::uint32_t, const Frame& frame, Ps start) {
    std::uint32_t way = frame.variant();
    const Route& route = traffic_.route_of(frame.flow, way);
    for (const std::uint32_t s : net_.services_at(route, way, frame.hop())) {
        ++held_up_;
        Service& service = net_.services[s];
        service.free = std::max(service.free, start) + wire_time(frame.bytes, service.inverse);
    }
}

// When the port's next packet starts, as far as is known; `never` if nothing waits or nothing is known.
inline Ps Worker::next_start(std::uint32_t p, Ps until) {
    Port& port = net_.ports[p];
    Ps start = 0;
    std::uint32_t bytes = 0;
    if (!port.queue.empty()) {
        const Frame& head = port.queue.front().frame;
        start = std::max(port.free, head.time());
        bytes = head.bytes;
        if (port.serves) {
            start = after_services(p, head, start);
        }
    } else if (port.sender != none && !shared_.senders[port.sender].empty()) {
        const Sender& sender = shared_.senders[port.sender];
        start = std::max(port.free, sender.next());
        const std::uint32_t f = sender.peek();
        const Flow& flow = traffic_.flows[f];
        bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(flow.left, flow.unit));
        if (port.serves) {
            Frame first;
            first.flow = f;
            start = after_services(p, first, start);
        }
    } else {
        return never;
    }
    if (start > until || (port.control == Control::none && !port.down)) {
        return start;
    }
    return admit(p, start, until, bytes);
}

// WRED when a packet leaves the queue, by the bytes that stay (facts: most ASICs mark at dequeue). Uses a hash of flow
// and time instead of a random generator, so that the result does not depend on threads.
inline void Worker::mark(std::uint32_t p, Frame& frame, Ps start) {
    if (shared_.control == CongestionControl::infiniband) {
        mark_forward(p, frame, start);
        return;
    }
    PortCounts& counts = net_.counts[p];
    const auto queued = static_cast<float>(net_.ports[p].queued_bytes);
    if (queued <= counts.k_min) {
        return;
    }
    const double share = queued > counts.k_max ? 1.0
                                               : options_.ecn.p_max * static_cast<double>(queued - counts.k_min) /
                                                     static_cast<double>(counts.k_max - counts.k_min);
    const std::uint64_t h = mix(mix(options_.seed ^ frame.flow) ^ static_cast<std::uint64_t>(start));
    if (static_cast<double>(h >> 11U) * 0x1p-53 < share) {
        frame.meta |= Frame::marked;
        ++counts.marks;
    }
}

// FECN marks at the root of congestion: a port whose queue is long although it has credit. A port without credit is a
// victim and does not mark, unless it leads to a device that is not a switch (Victim_Mask).
inline void Worker::mark_forward(std::uint32_t p, Frame& frame, Ps start) {
    const Port& port = net_.ports[p];
    PortCounts& counts = net_.counts[p];
    const InfinibandControl& control = options_.infiniband;
    const bool victim = counts.starved_until == start && net_.nodes[port.to_node].is_switch;
    if (static_cast<float>(port.queued_bytes) <= counts.k_min || victim || frame.bytes < control.packet_size.count ||
        counts.since_mark++ < control.marking_rate) {
        return;
    }
    counts.since_mark = 0;
    frame.meta |= Frame::marked;
    ++counts.marks;
}

inline void Worker::emit(std::uint32_t p, Frame frame, Ps start) {
    Port& port = net_.ports[p];
    const Ps wire = port.serialization(frame.bytes);
    port.free = start + wire;
    port.sent_bytes += frame.bytes;
    ++counts_.hops;
    if (watched_) {
        shared_.series[p].saw_sent(start, frame.bytes);
    }
    if (port.control == Control::credits) {
        take_credit(p, frame.bytes);
    }
    if (port.lanes > 1) {
        hold_wire(p, port.free);
        net_.turns[net_.counts[p].turns].sent(net_.counts[p].lane, frame.bytes);
    }
    if (frame.is(Frame::last_hop)) {
        const Ps tail = start + wire + port.latency;
        if (port.control == Control::credits) {
            port.signals.push({tail + net_.ingress[p].return_latency, frame.bytes, Signal::credit});
            port.has_signal.raise();
        }
        if (shared_.corrupts && is_corrupted(p, frame)) {
            ++counts_.lost;
            return;
        }
        receive(p, frame, tail);
        return;
    }
    const Ps at = start + port.latency + (options_.cut_through ? 0 : wire);
    frame.at(at);
    port.wire.push(frame);
    wake(port.to_node, at);
}

inline void Worker::send_one(std::uint32_t p, Ps start) {
    Port& port = net_.ports[p];
    if (port.queue.empty()) {
        const Frame frame = next_packet(p, start);
        if (port.serves) {
            use_services(p, frame, start);
        }
        emit(p, frame, start);
    } else {
        Waiting waiting = port.queue.front();
        port.queue.pop();
        port.queued_bytes -= waiting.frame.bytes;
        if (watched_) {
            shared_.series[p].saw_queue(start, port.queued_bytes);
        }
        if (port.marks) {
            mark(p, waiting.frame, start);
        }
        if (port.serves) {
            use_services(p, waiting.frame, start);
        }
        emit(p, waiting.frame, start);
        if (waiting.ingress != none) {
            vacate(waiting.ingress, waiting.frame.bytes, start);
        }
    }
    if (port.queue.empty() && (port.sender == none || shared_.senders[port.sender].empty())) {
        clear_active(p);
    }
}

inline void Worker::drain(std::uint32_t p, Ps until) {
    if (net_.ports[p].lanes > 1) {
        drain_lanes(net_.first_lane(p), until);
        return;
    }
    for (;;) {
        const Ps start = next_start(p, until);
        if (start > until) {
            return;
        }
        send_one(p, start);
    }
}

template <class Visit>
void for_each_bit(std::uint64_t word, Visit&& visit) {
    for (; word != 0; word &= word - 1) {
        visit(static_cast<std::uint32_t>(std::countr_zero(word)));
    }
}

// Drains all ports of a node in order of time, since a departure may hold up other ports: it may use a service, or
// change a pause, whose frame takes time on a wire. A candidate's start is therefore only a lower bound once something
// was held up, and is computed again when its turn comes.
inline void Worker::drain_in_order(const Node& node, Ps until) {
    if (node.shares_wire) {
        drain_entangled(node, until);
        return;
    }
    candidates_.clear();
    for (std::uint32_t word = 0; word * 64 < node.port_count; ++word) {
        for_each_bit(shared_.active[node.first_word + word], [&](std::uint32_t bit) {
            const std::uint32_t p = node.first_port + word * 64 + bit;
            const Ps start = next_start(p, until);
            if (start <= until) {
                candidates_.push_back({start, p, held_up_});
            }
        });
    }
    while (!candidates_.empty()) {
        Candidate& first = *std::ranges::min_element(candidates_, std::ranges::less(), &Candidate::turn);
        if (first.as_of == held_up_) {
            send_one(first.port, first.start);
        }
        first.start = next_start(first.port, until);
        first.as_of = held_up_;
        if (first.start > until) {
            first = candidates_.back();
            candidates_.pop_back();
        }
    }
}

// The same for nodes whose ports share wires, or with reads: each departure may change the start of any other.
inline void Worker::drain_entangled(const Node& node, Ps until) {
    for (;;) {
        Turn first{never, none};
        std::uint32_t seen = none;  // first lane of the last link with lanes that was looked at
        for (std::uint32_t word = 0; word * 64 < node.port_count; ++word) {
            for_each_bit(shared_.active[node.first_word + word], [&](std::uint32_t bit) {
                const std::uint32_t p = node.first_port + word * 64 + bit;
                Turn turn{never, none};
                if (net_.ports[p].lanes == 1) {
                    turn = {next_start(p, until), p};
                } else if (net_.first_lane(p) != seen) {
                    seen = net_.first_lane(p);
                    turn = next_turn(seen, until);
                }
                if (turn.start < first.start) {
                    first = turn;
                }
            });
        }
        if (first.start > until) {
            return;
        }
        send_one(first.port, first.start);
    }
}

// Drains all ports up to `until`; returns when there is more to do.
inline Ps Worker::drain_all(const Node& node, Ps until) {
    if (in_order(node)) {
        drain_in_order(node, until);
    }
    Ps next = never;
    for (std::uint32_t word = 0; word * 64 < node.port_count; ++word) {
        for_each_bit(shared_.active[node.first_word + word], [&](std::uint32_t bit) {
            const std::uint32_t p = node.first_port + word * 64 + bit;
            if (net_.ports[p].lanes > 1) {  // drains all lanes of the link: the later ones find nothing left to do
                next = std::min(next, drain_lanes(net_.first_lane(p), until));
                return;
            }
            Ps start = next_start(p, until);
            while (start <= until) {
                send_one(p, start);
                start = next_start(p, until);
            }
            next = std::min(next, start);
        });
    }
    return next;
}

}  // namespace fabricast::packet
