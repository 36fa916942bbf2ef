// Links that go down. A packet takes its flow's new way at the first node that it can do so from. A packet that comes
// to the link that is down without passing such a node is lost, and its sender sends it again. If there is no other
// way, packets wait for the link.

namespace fabricast::packet {

inline bool Worker::may_stay(const Frame& frame, Ps now) const {
    return net_.epochs.empty() || Epoch::allows(traffic_.ways_of(frame.flow, now), frame.variant());
}

// Moves the packet to the flow's new way, if its own may no longer be used and the new one has the same links before
// `hop`. Returns whether it did.
inline bool Worker::divert(Frame& frame, std::uint32_t hop, Ps now) const {
    if (may_stay(frame, now)) {
        return false;
    }
    const std::uint32_t ways = traffic_.ways_of(frame.flow, now);
    const std::uint32_t number =
        (ways & Epoch::only) != 0 ? ways & ~Epoch::only : static_cast<std::uint32_t>(std::countr_zero(ways));
    std::uint32_t before = frame.variant();
    std::uint32_t after = number;
    const Route& left = traffic_.route_of(frame.flow, before);
    const Route& taken = traffic_.route_of(frame.flow, after);
    if (taken.hops <= hop) {
        return false;
    }
    for (std::uint32_t h = 0; h < hop; ++h) {
        if (net_.port_of(left, before, h) != net_.port_of(taken, after, h)) {
            return false;
        }
    }
    constexpr std::uint16_t fixed =
        static_cast<std::uint16_t>(~(Frame::last_hop | (Frame::variant_mask << Frame::variant_shift)));
    frame.meta = static_cast<std::uint16_t>((frame.meta & fixed) | (number << Frame::variant_shift) |
                                            (hop + 1U == taken.hops ? Frame::last_hop : 0));
    return true;
}

// Loses a packet that is in no queue; its receive buffer is free again.
inline void Worker::lose(std::uint32_t in, std::uint32_t bytes, Ps now) {
    ++counts_.lost;
    if (net_.ports[in].control == Control::credits) {
        return_credit(in, bytes, now);
    }
}

inline void Worker::lose_queue(std::uint32_t p, Ps now) {
    Port& port = net_.ports[p];
    for (std::uint32_t left = port.queue.size(); left > 0; --left) {
        Waiting waiting = port.queue.front();
        port.queue.pop();
        if (may_stay(waiting.frame, now)) {
            port.queue.push(waiting);
            continue;
        }
        port.queued_bytes -= waiting.frame.bytes;
        if (divert(waiting.frame, waiting.frame.hop(), now)) {
            std::uint32_t way = waiting.frame.variant();
            const Route& route = traffic_.route_of(waiting.frame.flow, way);
            const std::uint32_t other = net_.port_of(route, way, waiting.frame.hop());
            net_.ports[other].queue.push(waiting);
            net_.ports[other].queued_bytes += waiting.frame.bytes;
            if (watched_) {
                shared_.series[other].saw_queue(now, net_.ports[other].queued_bytes);
            }
            set_active(other);
            continue;
        }
        ++counts_.lost;
        if (waiting.ingress != none) {
            vacate(waiting.ingress, waiting.frame.bytes, now);
        }
    }
    if (watched_) {
        shared_.series[p].saw_queue(now, port.queued_bytes);
    }
    if (port.queue.empty() && (port.sender == none || shared_.senders[port.sender].empty())) {
        clear_active(p);
    }
}

// Moves the flow to the first port of the way that it takes from now on.
inline void Worker::reroute(std::uint32_t f, Ps now) {
    Flow& flow = traffic_.flows[f];
    const std::uint32_t ways = traffic_.ways_of(f, now);
    std::uint32_t way = (ways & Epoch::only) != 0 ? ways & ~Epoch::only : 0;
    const Route& route = traffic_.route_of(f, way);
    const std::uint32_t port = net_.port_of(route, way, 0);
    if (port == flow.port) {
        return;
    }
    assert(net_.ports[port].from_node == flow.node);
    drain(flow.port, now - 1);
    Sender& before = shared_.senders[net_.ports[flow.port].sender];
    if (flow.waiting) {
        before.remove(f);
        shared_.senders[net_.ports[port].sender].add(f, std::max(flow.next, now), -1);
        set_active(port);
    }
    if (before.empty() && net_.ports[flow.port].queue.empty()) {
        clear_active(flow.port);
    }
    flow.port = port;
}

}  // namespace fabricast::packet
