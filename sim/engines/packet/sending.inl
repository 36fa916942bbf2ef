// Flows at their first node: which piece is next, and when each packet may be sent.

namespace fabricast::packet {

inline std::uint8_t Worker::way_of(Flow& flow, const Route& route, Ps start) const {
    const auto f = static_cast<std::uint32_t>(&flow - traffic_.flows.data());
    const std::uint32_t allowed = net_.epochs.empty() ? 0 : traffic_.ways_of(f, start);
    if ((allowed & Epoch::only) != 0) {
        return static_cast<std::uint8_t>(allowed & ~Epoch::only);
    }
    std::uint64_t way = 0;
    switch (options_.routing) {
        case PacketRouting::ecmp:
            way = flow.psn / 16;  // queue pairs take turns, 64 KiB each
            break;
        case PacketRouting::flowlet:
            if (flow.last >= 0 && start - flow.last <= options_.flowlet_gap.ps &&
                Epoch::allows(allowed, flow.variant)) {
                return flow.variant;
            }
            way = mix(options_.seed ^ mix(f) ^ static_cast<std::uint64_t>(start));
            break;
        case PacketRouting::adaptive:
        case PacketRouting::spray:
            way = mix(options_.seed ^ f) + flow.psn;
            break;
    }
    way %= route.variants;
    while (!Epoch::allows(allowed, static_cast<std::uint32_t>(way))) {
        way = (way + 1) % route.variants;
    }
    return static_cast<std::uint8_t>(way);
}

// When the flow may send again after `bytes` at `start`, given its own rate cap and its congestion control.
inline Ps Worker::paced(Flow& flow, std::uint32_t bytes, Ps start) {
    double pace = flow.pace;
    if (flow.controller != none) {
        if (shared_.control == CongestionControl::timely) {
            const Timely& timely = shared_.timelies[flow.controller];
            pace = timely.at_line() ? pace : std::max(pace, 1e12 / timely.rate());
        } else if (shared_.control == CongestionControl::infiniband) {
            InfinibandRate& rate = shared_.infiniband[flow.controller];
            rate.advance(options_.infiniband, start);
            pace = rate.index() == 0 ? pace : std::max(pace, 1e12 / rate.rate(options_.infiniband));
        } else {
            Dcqcn& dcqcn = shared_.dcqcn[flow.controller];
            dcqcn.on_send(options_.dcqcn, start, bytes);
            if (flow.controller < shared_.rates.size()) {
                shared_.rates[flow.controller].saw(start, dcqcn.rate());
            }
            pace = dcqcn.at_line() ? pace : std::max(pace, 1e12 / dcqcn.rate());
        }
        shared_.throttles[flow.controller].saw(start, pace, bytes);
    }
    return start + static_cast<Ps>(std::ceil(pace * bytes - 1e-6));
}

inline bool Worker::begin_message(Flow& flow, Messages& messages) {
    if (messages.next == messages.end) {
        return false;
    }
    const std::uint32_t transfer = traffic_.message_ops[messages.next];
    if (traffic_.message_ready[transfer] == never) {
        return false;
    }
    ++messages.next;
    flow.left = std::max<std::int64_t>(1, traffic_.message_bytes[transfer]);
    flow.end_bits = Frame::piece_end;
    flow.next = std::max(flow.next, traffic_.message_ready[transfer]);
    return true;
}

inline bool Worker::begin_stream_piece(Flow& flow, std::uint32_t s) {
    Stream& stream = traffic_.streams[s];
    const std::uint32_t piece = stream.next;
    if (!stream.started || piece == stream.pieces) {
        return false;
    }
    Ps ready = 0;
    if (stream.follows && piece >= stream.lag() && piece < stream.dependent_to) {
        const std::uint32_t needed = piece - stream.lag();
        if (stream.have <= needed) {
            return false;
        }
        if (stream.have - needed == 1) {
            ready = stream.have_at;
        } else if (stream.have - needed < traffic_.times_each) {  // otherwise it came long ago
            ready = traffic_.piece_time(s, needed);
        }
    }
    const bool begins_chunk = stream.slices == 1 || piece % stream.slices == 0;
    const auto slot = begins_chunk && piece < stream.pieces_with_slots()
                          ? slot_before(piece / stream.slices, stream.slots)
                          : std::nullopt;
    if (slot) {
        const auto needed = static_cast<std::uint32_t>(*slot);
        if (stream.freed <= needed) {
            return false;
        }
        if (stream.freed_at > ready && stream.freed - needed < traffic_.times_each) {
            ready = std::max(ready, stream.freed - needed == 1 ? stream.freed_at : traffic_.slot_time(s, needed));
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

// All streams that lead to this one have delivered one more piece. Times that are no longer needed are not stored.
inline void Worker::add_piece(std::uint32_t s, Ps now) {
    Stream& stream = traffic_.streams[s];
    if (stream.have > 0 && stream.next < stream.have + stream.lag()) {
        traffic_.piece_time(s, stream.have - 1) = stream.have_at;
    }
    ++stream.have;
    stream.have_at = now;
    wake_flow(stream.flow, now);
}

inline void Worker::free_slot(std::uint32_t s, Ps now) {
    Stream& stream = traffic_.streams[s];
    if (stream.freed > 0) {
        traffic_.slot_time(s, stream.freed - 1) = stream.freed_at;
    }
    ++stream.freed;
    stream.freed_at = now;
    wake_flow(stream.flow, now);
}

// Lost pieces are sent again before new ones begin.
inline bool Worker::begin_piece(Flow& flow, std::uint32_t f) {
    if (traffic_.is_request(f)) {
        return flow.open = begin_request(flow, f);
    }
    if (shared_.lossy) {
        Recovery& recovery = shared_.recoveries[f];
        if (recovery.replay < recovery.pieces.size()) {
            const Unacked& piece = recovery.pieces[recovery.replay++];
            flow.psn = piece.first;
            flow.left = piece.bytes;
            flow.end_bits = piece.end_bits;
            return flow.open = true;
        }
    }
    flow.open = traffic_.is_stream(f) ? begin_stream_piece(flow, traffic_.stream_of(f))
                                      : begin_message(flow, traffic_.connections[f]);
    if (flow.open && shared_.lossy) {
        Recovery& recovery = shared_.recoveries[f];
        const auto packets = static_cast<std::uint32_t>((flow.left + flow.unit - 1) / flow.unit);
        recovery.pieces.push_back({flow.psn, packets, flow.left, flow.end_bits});
        recovery.replay = static_cast<std::uint32_t>(recovery.pieces.size());
    }
    return flow.open;
}

// Called when something that the flow may have waited for has come.
inline void Worker::wake_flow(std::uint32_t f, Ps now) {
    Flow& flow = traffic_.flows[f];
    if (!traffic_.readers.empty()) {
        announce(f, now);
    }
    if (flow.waiting) {
        return;
    }
    const bool asked_for = shared_.lossy && !shared_.recoveries[f].again.empty();
    if (!flow.open && !asked_for && !begin_piece(flow, f)) {
        return;
    }
    if (!traffic_.readers.empty() && !is_granted(flow, f)) {
        return;
    }
    flow.waiting = true;
    flow.next = std::max(flow.next, now);
    shared_.senders[net_.ports[flow.port].sender].add(f, flow.next, -1);
    set_active(flow.port);
}

// Precondition: the port's sender has a flow that may send at `start`.
inline Frame Worker::next_packet(std::uint32_t p, Ps start) {
    Sender& sender = shared_.senders[net_.ports[p].sender];
    const std::uint32_t f = sender.take(start);
    Flow& flow = traffic_.flows[f];
    const Route& own = traffic_.routes[f];
    Frame frame;
    frame.flow = f;
    Recovery* const recovery = shared_.lossy && !traffic_.is_request(f) ? &shared_.recoveries[f] : nullptr;
    std::uint32_t psn = flow.psn;
    if (recovery != nullptr && !recovery->again.empty()) {
        psn = recovery->again.front();
        recovery->again.pop();
        ++recovery->resent;
        for (const Unacked& piece : recovery->pieces) {
            if (psn - piece.first < piece.packets) {
                const std::int64_t before = static_cast<std::int64_t>(psn - piece.first) * flow.unit;
                frame.bytes = static_cast<std::uint16_t>(std::min<std::int64_t>(piece.bytes - before, flow.unit));
                frame.meta = psn - piece.first + 1 == piece.packets ? piece.end_bits : std::uint16_t{0};
            }
        }
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
    if (own.variants > 1 || !net_.epochs.empty()) {
        way = flow.variant = way_of(flow, own, start);
        frame.meta = static_cast<std::uint16_t>(frame.meta | (flow.variant << Frame::variant_shift));
    }
    frame.meta |= traffic_.route_of(f, way).hops == 1 ? Frame::last_hop : std::uint16_t{0};
    if (shared_.control == CongestionControl::timely && flow.controller != none &&
        (psn + 1) % shared_.ack_every[flow.controller] == 0) {
        shared_.timelies[flow.controller].sent(psn / shared_.ack_every[flow.controller], start);
    }
    if (recovery != nullptr && !recovery->timer) {
        recovery->timer = true;
        recovery->timer_saw = recovery->acked;
        mail({earliest(flow.node, start + options_.retransmit_timeout.ps), flow.node, ControlMessage::timeout, f, 0});
    }
    ++counts_.injected;
    flow.last = start;
    flow.next = paced(flow, frame.bytes, start);
    flow.waiting = flow.open || (recovery != nullptr && !recovery->again.empty()) || begin_piece(flow, f);
    if (!traffic_.readers.empty()) {
        count_granted(f, psn, frame.bytes);
        flow.waiting = flow.waiting && is_granted(flow, f);
    }
    if (flow.waiting) {
        sender.add(f, flow.next, start);
    }
    return frame;
}

inline void Worker::on_ack(std::uint32_t f, std::uint32_t psn) {
    Recovery& recovery = shared_.recoveries[f];
    if (static_cast<std::int32_t>(psn - recovery.acked) > 0) {
        recovery.acked = psn;
    }
    const Flow& flow = traffic_.flows[f];
    while (!recovery.pieces.empty() && recovery.replay > (flow.open ? 1U : 0U)) {
        const Unacked& first = recovery.pieces.front();
        if (static_cast<std::int32_t>(recovery.acked - (first.first + first.packets)) < 0) {
            return;
        }
        recovery.pieces.pop_front();
        --recovery.replay;
    }
}

// Sends again everything from `psn` on (go-back-N), or only that packet (selective repeat).
inline void Worker::rewind(std::uint32_t f, std::uint32_t psn, Ps now) {
    Recovery& recovery = shared_.recoveries[f];
    Flow& flow = traffic_.flows[f];
    if (static_cast<std::int32_t>(psn - recovery.acked) < 0) {
        return;  // an acknowledgement came first
    }
    if (options_.recovery == LossRecovery::selective_repeat) {
        recovery.again.push(psn);
        wake_flow(f, now);
        return;
    }
    for (std::uint32_t i = 0; i < recovery.pieces.size(); ++i) {
        const Unacked& piece = recovery.pieces[i];
        if (psn - piece.first < piece.packets) {
            recovery.resent += static_cast<std::int32_t>(flow.psn - psn);
            flow.psn = psn;
            flow.left = piece.bytes - static_cast<std::int64_t>(psn - piece.first) * flow.unit;
            flow.end_bits = piece.end_bits;
            flow.open = true;
            recovery.replay = i + 1;
            wake_flow(f, now);
            return;
        }
    }
}

inline void Worker::on_timeout(std::uint32_t f, Ps now) {
    Recovery& recovery = shared_.recoveries[f];
    recovery.timer = false;
    on_ack(f, recovery.acked);  // drops pieces that had to stay while they were being sent again
    const Flow& flow = traffic_.flows[f];
    if (recovery.pieces.empty() && !flow.open) {
        return;
    }
    if (recovery.acked == recovery.timer_saw && flow.psn != recovery.acked) {
        ++recovery.timeouts;
        rewind(f, recovery.acked, now);
    }
    recovery.timer = true;
    recovery.timer_saw = recovery.acked;
    mail({earliest(flow.node, now + options_.retransmit_timeout.ps), flow.node, ControlMessage::timeout, f, 0});
}

}  // namespace fabricast::packet
