// What a packet does to the receive buffer of its link, and what the link's sender is told: the receiver's half of the
// flow-control policies.

namespace fabricast::packet {

inline void Worker::return_credit(std::uint32_t in, std::uint32_t bytes, Ps at) {
    Port& port = net_.ports[in];
    Ingress& ingress = net_.ingress[in];
    const Ps heard = ingress.last_credit = std::max(ingress.last_credit, at + ingress.return_latency);
    port.signals.push({heard, static_cast<std::int32_t>(bytes), Signal::credit});
    port.has_signal.raise();
    // A sender in another island must always be woken. In this island, a port without packets looks for signals when it
    // next has a packet.
    if (shared_.islands.of[port.from_node] != island_ || port.active) {
        wake(port.from_node, heard);
    }
}

// A pause lasts for its quanta, and is sent again after half of them.
inline void Worker::set_paused(std::uint32_t in, bool paused, Ps now) {
    Ingress& ingress = net_.ingress[in];
    Port& port = net_.ports[in];
    Node& node = net_.nodes[port.to_node];
    ingress.paused = paused;
    node.paused_ingresses += paused ? 1U : -1U;
    ingress.pauses += paused ? 1 : 0;
    tell_pause(in, paused, now);
    if (paused && !ingress.will_refresh) {
        ingress.will_refresh = true;
        const Ps again = now + port.serialization(pause_bytes()) / 2;
        mail({earliest(port.to_node, again), port.to_node, ControlMessage::refresh, in, 0});
    }
}

// The timer of a pause, which may have ended meanwhile.
inline void Worker::refresh(std::uint32_t in, Ps now) {
    Ingress& ingress = net_.ingress[in];
    const Port& port = net_.ports[in];
    const Ps half = port.serialization(pause_bytes()) / 2;
    ingress.will_refresh = ingress.paused;
    if (!ingress.paused) {
        return;
    }
    if (now - ingress.told_at >= half) {
        drain_in_order(net_.nodes[port.to_node], now - 1);  // packets that leave before have the wire first
        if (!ingress.paused) {
            ingress.will_refresh = false;
            return;
        }
        ++ingress.refreshes;
        tell_pause(in, true, now);
    }
    mail({earliest(port.to_node, ingress.told_at + half), port.to_node, ControlMessage::refresh, in, 0});
}

// Sends a PFC frame in the other direction of the link. It waits for the packet that is being sent there, takes its own
// time on the wire, and takes effect after the sender's reaction time.
inline void Worker::tell_pause(std::uint32_t in, bool paused, Ps now) {
    Ingress& ingress = net_.ingress[in];
    Port& port = net_.ports[in];
    ingress.told_at = now;
    Ps sent = now;
    if (port.reverse != none) {
        Port& back = net_.ports[port.reverse];
        ++held_up_;
        back.free = std::max(back.free, now) + wire_time(static_cast<std::uint64_t>(pfc::frame.count), back.inverse);
        hold_wire(port.reverse, back.free);
        sent = back.free;
    }
    const Ps heard = sent + ingress.return_latency + ingress.reaction;
    port.signals.push({heard, 0, paused ? Signal::pause : Signal::resume});
    port.has_signal.raise();
    wake(port.from_node, heard);
}

// Returns false if there is no room and the packet is lost.
inline bool Worker::accept(std::uint32_t in, std::uint32_t bytes, Ps now) {
    Ingress& ingress = net_.ingress[in];
    const Control control = net_.ports[in].control;
    if (control == Control::none) {
        return true;
    }
    if (control == Control::credits) {
        if (ingress.unbounded) {
            return_credit(in, bytes, now);
        }
        return true;
    }
    if (ingress.unbounded) {
        return true;
    }
    Node& node = net_.nodes[net_.ports[in].to_node];
    const auto fits = [&] {
        // Choudhury and Hahne: a queue may hold alpha times what is free.
        const double threshold = pfc::dynamic_threshold(options_.alpha, {node.buffer}, {node.used});
        return ingress.over == 0 && static_cast<double>(ingress.bytes + bytes) <= threshold;
    };
    if (!fits() && !in_order(node)) {
        drain_in_order(node, now);  // the counts are exact only after all ports have been drained
    }
    if (fits()) {
        ingress.bytes += bytes;
        node.used += bytes;
        node.used_most = std::max(node.used_most, node.used);
        ingress.most = std::max(ingress.most, ingress.bytes);
        return true;
    }
    const bool room = control == Control::pfc && ingress.over + bytes <= ingress.headroom;
    if (!room) {
        ++ingress.drops;
        ingress.dropped_bytes += bytes;
    } else {
        ingress.over += bytes;
        ingress.headroom_most = std::max(ingress.headroom_most, ingress.over);
    }
    if (control == Control::pfc && !ingress.paused) {
        set_paused(in, true, now);
    }
    return room;
}

inline void Worker::vacate(std::uint32_t in, std::uint32_t bytes, Ps now) {
    const Control control = net_.ports[in].control;
    if (control == Control::none) {
        return;
    }
    if (control == Control::credits) {
        return_credit(in, bytes, now);
        return;
    }
    Ingress& ingress = net_.ingress[in];
    Node& node = net_.nodes[net_.ports[in].to_node];
    const std::int64_t from_headroom = std::min<std::int64_t>(ingress.over, bytes);
    ingress.over -= from_headroom;
    ingress.bytes -= bytes - from_headroom;
    node.used -= bytes - from_headroom;
    if (ingress.paused && ingress.over == 0) {
        const double threshold = pfc::dynamic_threshold(options_.alpha, {node.buffer}, {node.used});
        const double resume = std::max(0.0, threshold - static_cast<double>(options_.xon_offset.count));
        if (static_cast<double>(ingress.bytes) <= resume) {
            set_paused(in, false, now);
        }
    }
}

}  // namespace fabricast::packet
