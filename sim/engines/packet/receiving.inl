// Flows at the node before their last link: what is sent there is certain to arrive, one latency later, so others can
// be told in time.

namespace fabricast::packet {

// The receiver's answer travels without queueing: it is small and of high priority.
inline Ps Worker::way_back(std::uint32_t f) const {
    const Route& route = traffic_.routes[f];
    Ps latency = 0;
    for (std::uint32_t hop = 0; hop < route.hops; ++hop) {
        latency += net_.ports[net_.port_of(route, 0, hop)].latency;
    }
    return latency;
}

inline void Worker::tell_sender(std::uint32_t f, ControlMessage::Kind kind, std::uint32_t value, Ps tail) {
    mail({tail + way_back(f), traffic_.flows[f].node, kind, f, value});
}

inline void Worker::receive(std::uint32_t p, const Frame& frame, Ps tail) {
    ++counts_.delivered;
    const std::uint32_t f = frame.flow;
    if (traffic_.is_request(f)) {
        receive_request(f, frame, tail);
        return;
    }
    counts_.delivered_bytes += frame.bytes;
    if (!traffic_.readers.empty()) {
        end_read(f, frame, tail);
    }
    const bool echoes = shared_.control == CongestionControl::dcqcn || shared_.control == CongestionControl::infiniband;
    if (frame.is(Frame::marked) && echoes && traffic_.flows[f].controller != none) {
        Receiver& receiver = traffic_.receivers[f];
        const Ps interval = shared_.control == CongestionControl::dcqcn ? options_.dcqcn.cnp_interval.ps : 0;
        if (tail - receiver.last_notice >= interval) {
            receiver.last_notice = tail;
            ++counts_.notices;
            tell_sender(f, ControlMessage::notice, 0, tail);
        }
    }
    if (shared_.lossy) {
        receive_lossy(p, frame, tail);
        return;
    }
    if (shared_.control == CongestionControl::timely && traffic_.flows[f].controller != none &&
        (frame.psn() + 1U) % shared_.ack_every[traffic_.flows[f].controller] == 0) {
        tell_sender(f, ControlMessage::ack, frame.psn(), tail);
    }
    if (traffic_.routes[f].variants > 1) {
        receive_spread(p, frame, tail);
    } else if (frame.is(Frame::piece_end)) {
        complete(p, f, frame.meta, tail);
    }
}

inline std::int64_t Worker::bytes_of_piece(std::uint32_t f, std::uint32_t piece) const {
    if (traffic_.is_stream(f)) {
        const Stream& stream = traffic_.streams[traffic_.stream_of(f)];
        return std::max(1U, piece + stream.slices >= stream.pieces ? stream.last_bytes : stream.piece_bytes);
    }
    return std::max<std::int64_t>(1,
                                  traffic_.message_bytes[traffic_.message_ops[traffic_.connections[f].begin + piece]]);
}

inline std::uint32_t Worker::packets_of_piece(std::uint32_t f, std::uint32_t piece) const {
    const std::uint32_t unit = traffic_.flows[f].unit;
    return static_cast<std::uint32_t>((bytes_of_piece(f, piece) + unit - 1) / unit);
}

// On several paths packets overtake each other, so packets are only counted: a piece is complete when as many have come
// as it and the pieces before it have together.
inline void Worker::receive_spread(std::uint32_t p, const Frame& frame, Ps tail) {
    const std::uint32_t f = frame.flow;
    Receiver& receiver = traffic_.receivers[f];
    ++receiver.got;
    while (receiver.got > 0 && receiver.got >= packets_of_piece(f, receiver.piece)) {
        receiver.got -= packets_of_piece(f, receiver.piece);
        ++receiver.piece;
        const bool last = traffic_.is_stream(f) && receiver.piece == traffic_.streams[traffic_.stream_of(f)].pieces;
        complete(p, f, last ? Frame::stream_end : std::uint16_t{0}, tail);
    }
}

// Selective repeat: asks for each gap once, and for all gaps again when they should have come long ago.
inline void Worker::ask_for_missing(std::uint32_t f, Ps tail) {
    Receiver& receiver = traffic_.receivers[f];
    const std::deque<std::uint16_t>& early = shared_.recoveries[f].early;
    if (tail - receiver.asked_at > 16 * way_back(f)) {
        receiver.asked_at = tail;
        receiver.asked_up_to = receiver.expected;
    }
    for (std::uint32_t i = 0; i < early.size(); ++i) {
        const std::uint32_t psn = receiver.expected + i;  // entry i of `early` is the packet after it
        const bool missing = i == 0 || early[i - 1] == 0;
        if (missing && static_cast<std::int32_t>(psn - receiver.asked_up_to) >= 0) {
            tell_sender(f, ControlMessage::nak, psn, tail);
            receiver.asked_up_to = psn + 1;
        }
    }
}

inline void Worker::receive_lossy(std::uint32_t p, const Frame& frame, Ps tail) {
    const std::uint32_t f = frame.flow;
    Receiver& receiver = traffic_.receivers[f];
    const std::uint32_t psn = widen(frame.psn(), receiver.expected);
    const auto ahead = static_cast<std::int32_t>(psn - receiver.expected);
    if (ahead < 0) {  // a duplicate: its sender has not got the acknowledgement
        tell_sender(f, ControlMessage::ack, receiver.expected, tail);
        return;
    }
    const bool selective = options_.recovery == LossRecovery::selective_repeat;
    std::deque<std::uint16_t>& early = shared_.recoveries[f].early;
    if (ahead > 0 && selective) {
        early.resize(std::max(early.size(), static_cast<std::size_t>(ahead)), 0);
        early[static_cast<std::size_t>(ahead) - 1] = static_cast<std::uint16_t>(frame.meta | 1U);
        ask_for_missing(f, tail);
        return;
    }
    if (ahead > 0) {
        if (!receiver.asked) {
            receiver.asked = true;
            tell_sender(f, ControlMessage::nak, receiver.expected, tail);
        }
        return;
    }
    std::uint16_t meta = frame.meta;
    for (bool more = true; more;) {
        ++receiver.expected;
        ++receiver.unacked;
        receiver.asked = false;
        const bool ends = (meta & Frame::piece_end) != 0;
        if (ends) {
            complete(p, f, meta, tail);
        }
        if (ends || receiver.unacked >= 16) {
            receiver.unacked = 0;
            tell_sender(f, ControlMessage::ack, receiver.expected, tail);
        }
        more = false;
        if (!early.empty()) {
            meta = early.front();
            early.pop_front();
            more = meta != 0;
            if (!more && !early.empty()) {
                ask_for_missing(f, tail);
            }
        }
    }
}

inline void Worker::complete(std::uint32_t p, std::uint32_t f, std::uint16_t meta, Ps tail) {
    if (f < shared_.arrivals.size() && shared_.arrivals[f].size() < pieces_kept) {
        shared_.arrivals[f].push_back(tail);
    }
    if (!traffic_.is_stream(f)) {
        Messages& messages = traffic_.connections[f];
        done_.push_back({tail, Done::message, traffic_.message_ops[messages.arrived++]});
        return;
    }
    const std::uint32_t s = traffic_.stream_of(f);
    if (traffic_.streams[s].tells) {
        Frame told;
        told.flow = f;
        told.meta = Frame::notice;
        told.at(tail);
        net_.ports[p].wire.push(told);
        wake(net_.ports[p].to_node, tail);
    }
    if ((meta & Frame::stream_end) != 0) {
        done_.push_back({tail, Done::stream, s});
    }
}

// Called at the receiver itself: streams that forward the piece may continue, and its slot is free again.
inline void Worker::on_piece(std::uint32_t s, Ps now) {
    Stream& stream = traffic_.streams[s];
    ++stream.delivered;
    for (std::uint32_t i = stream.first_follower; i < stream.first_follower + stream.follower_count; ++i) {
        const Follower& follower = traffic_.followers[i];
        if (follower.have != none) {
            ++traffic_.have[follower.have];
            const auto first = traffic_.have.begin() + follower.first_have;
            const auto last = traffic_.have.begin() + follower.have_end;
            if (*std::min_element(first, last) == traffic_.streams[follower.stream].have) {
                continue;
            }
        }
        add_piece(follower.stream, now);
    }
    if (stream.delivered < stream.slots_end && stream.delivered % stream.chunk_pieces == 0) {
        mail({earliest(stream.sender, now + stream.slot_delay), stream.sender, ControlMessage::slot, s, 0});
    }
}

}  // namespace fabricast::packet
