// A packet at the end of a link: by which port it leaves, and whether it is sent on at once or waits.

namespace fabricast::packet {

// A short form of arrive() for replays in which only the flow's own path matters. For most packets (an idle wire,
// nothing queued before them, nothing that holds them back) it checks at once what forward() checks step by step.
inline void Worker::arrive_fast_path(const Due& due) {
    const Route& route = traffic_.routes[due.frame.flow];
    const std::uint32_t hop = due.frame.hop() + 1;
    const std::uint32_t out = net_.port_of(route, due.frame.variant(), hop);
    const Ps now = due.frame.time();
    Frame frame = due.frame;
    static_assert(Frame::hop_mask == 0x3f);  // the lowest bits, so adding 1 adds a hop
    frame.meta = static_cast<std::uint16_t>(frame.meta + (hop + 1U == route.hops ? Frame::last_hop + 1U : 1U));
    const Port& port = net_.ports[out];
    const Port& from = net_.ports[due.port];
    if (port.free > now || port.active || !port.simple || port.down || from.inverse > port.inverse ||
        (port.control != Control::none && admit(out, now, now, frame.bytes) != now)) {
        forward(out, frame, due.port, now);
        return;
    }
    if (from.control == Control::credits) {
        return_credit(due.port, frame.bytes, now);
    }
    emit(out, frame, now);
}

inline void Worker::arrive(const Due& due) {
    Frame frame = due.frame;
    const Ps now = frame.time();
    if (frame.is(Frame::notice)) {
        on_piece(traffic_.stream_of(frame.flow), now);
        return;
    }
    if (shared_.corrupts && is_corrupted(due.port, frame)) {
        lose(due.port, frame.bytes, now);
        return;
    }
    const std::uint32_t hop = frame.hop() + 1;
    if (!traffic_.readers.empty()) {
        const std::uint32_t r = traffic_.reader_of[frame.flow];
        if (r != none && traffic_.readers[r].hop == hop && !traffic_.is_request(frame.flow)) {
            const Ps rest = options_.cut_through ? net_.ports[due.port].serialization(frame.bytes) : 0;
            return_tag(r, frame.bytes, now + rest);
        }
    }
    if (!net_.epochs.empty()) {
        divert(frame, hop, now);
    }
    std::uint32_t variant = frame.variant();
    std::uint32_t way = variant;
    const Route& route = traffic_.route_of(frame.flow, way);
    if (route.variants > 1 && options_.routing == PacketRouting::adaptive) {
        variant = way = choose_way(frame, route, hop, now);
    }
    const std::uint32_t out = net_.port_of(route, way, hop);
    constexpr std::uint16_t place = Frame::hop_mask | (Frame::variant_mask << Frame::variant_shift);
    frame.meta = static_cast<std::uint16_t>((frame.meta & ~place) | hop | (variant << Frame::variant_shift) |
                                            (hop + 1U == route.hops ? Frame::last_hop : 0));
    forward(out, frame, due.port, now);
}

// Chooses, at each switch of the fabric, among the ways that share the packet's path so far: the one whose port has the
// least traffic ahead.
inline std::uint32_t Worker::choose_way(const Frame& frame, const Route& route, std::uint32_t hop, Ps now) const {
    const std::uint32_t mine = frame.variant();
    const auto ports = [&](std::uint32_t variant) {
        return net_.hops.data() + route.first + std::size_t{variant} * route.hops;
    };
    if (!net_.nodes[net_.ports[ports(mine)[hop]].from_node].is_switch) {
        return mine;
    }
    std::uint32_t best = mine;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t i = 0; i < route.variants; ++i) {
        const std::uint32_t variant = (mine + i) % route.variants;
        if (!std::equal(ports(variant), ports(variant) + hop, ports(mine))) {
            continue;
        }
        const Port& port = net_.ports[ports(variant)[hop]];
        const std::int64_t ahead = net_.queued(ports(variant)[hop]) * (1 << 10) +
                                   (std::max<Ps>(0, port.free - now) >> 4) +
                                   (port.paused || port.down ? std::int64_t{1} << 50 : 0);
        if (ahead < least) {
            least = ahead;
            best = variant;
        }
    }
    return best;
}

// Uses a hash of packet and link instead of a random generator, so that the result does not depend on threads.
inline bool Worker::is_corrupted(std::uint32_t p, const Frame& frame) const {
    const std::uint64_t h = mix(mix(options_.seed ^ frame.flow ^ (std::uint64_t{p} << 32U)) ^ frame.key);
    return static_cast<double>(h >> 11U) * 0x1p-53 < static_cast<double>(net_.counts[p].loss);
}

// Sends the packet straight onto the wire if that is idle, otherwise queues it. A packet from a slower link may begin
// only when its end will have arrived in time.
inline void Worker::forward(std::uint32_t out, Frame frame, std::uint32_t in, Ps arrived) {
    Port& port = net_.ports[out];
    if (port.down && !may_stay(frame, arrived)) {
        lose(in, frame.bytes, arrived);
        return;
    }
    const Node& node = net_.nodes[port.from_node];
    Ps now = arrived;
    if (options_.cut_through) {
        const Port& from = net_.ports[in];
        if (from.inverse > port.inverse) {
            now += from.serialization(frame.bytes) - port.serialization(frame.bytes);
        }
    }
    const bool busy = port.lanes > 1
                          ? any_active(out)
                          : !port.queue.empty() || (port.sender != none && !shared_.senders[port.sender].empty());
    if (busy) {
        if (in_order(node)) {
            drain_in_order(node, arrived);
        } else {
            drain(out, arrived);
        }
    }
    frame.at(now);
    if (now == arrived && port.free <= now && port.queue.empty() && !node.serves &&
        (port.sender == none || shared_.senders[port.sender].empty()) &&
        (port.lanes == 1 || !behind_writes(out, now)) &&
        ((port.control == Control::none && !port.down) || admit(out, now, now, frame.bytes) == now)) {
        if (net_.ports[in].control == Control::credits) {
            return_credit(in, frame.bytes, now);
        }
        emit(out, frame, now);
        return;
    }
    enqueue(out, frame, in, arrived);
}

inline void Worker::enqueue(std::uint32_t out, const Frame& frame, std::uint32_t in, Ps arrived) {
    if (!accept(in, frame.bytes, arrived)) {
        return;
    }
    Port& port = net_.ports[out];
    port.queue.push({frame, net_.ingress[in].unbounded ? none : in});
    port.queued_bytes += frame.bytes;
    PortCounts& counts = net_.counts[out];
    counts.most_queued = std::max(counts.most_queued, port.queued_bytes);
    if (watched_) {
        shared_.series[out].saw_queue(arrived, port.queued_bytes);
    }
    set_active(out);
}

}  // namespace fabricast::packet
