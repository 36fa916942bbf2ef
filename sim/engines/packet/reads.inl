// Reads over PCIe: a piece that may be sent is announced to the device that will fetch it, and that device's requests,
// as many as it has tags for, let the memory send (Neugebauer et al., SIGCOMM'18, section 3: reads are limited by how
// much the tags keep in flight). Instead of a sequence number, a request carries the number of bytes that it asks for.

namespace fabricast::packet {

// How many pieces, from the first on, the flow itself is ready to send; at least `known` for messages.
inline std::uint32_t Worker::ready_pieces(std::uint32_t f, std::uint32_t known) const {
    if (!traffic_.is_stream(f)) {
        const Messages& messages = traffic_.connections[f];
        while (messages.begin + known < messages.end &&
               traffic_.message_ready[traffic_.message_ops[messages.begin + known]] != never) {
            ++known;
        }
        return known;
    }
    const Stream& stream = traffic_.streams[traffic_.stream_of(f)];
    if (!stream.started) {
        return 0;
    }
    const std::uint64_t by_slots = (std::uint64_t{stream.freed} + stream.whole_slots()) * stream.slices;
    auto ready = by_slots < stream.pieces_with_slots() ? static_cast<std::uint32_t>(by_slots) : stream.pieces;
    if (stream.follows && stream.have + stream.lag() < stream.dependent_to) {
        ready = std::min(ready, stream.have + stream.lag());
    }
    return ready;
}

inline void Worker::announce(std::uint32_t f, Ps now) {
    const std::uint32_t r = traffic_.reader_of[f];
    if (r == none || traffic_.is_request(f)) {
        return;
    }
    Reader& reader = traffic_.readers[r];
    const Ps overhead = traffic_.is_stream(f) ? traffic_.streams[traffic_.stream_of(f)].overhead : 0;
    const Ps known = earliest(reader.node, now + overhead + reader.doorbell);
    const std::uint32_t ready = ready_pieces(f, reader.announced);
    for (; reader.announced < ready; ++reader.announced) {
        constexpr std::int64_t most = std::int64_t{1} << 30U;
        for (std::int64_t left = bytes_of_piece(f, reader.announced); left > 0; left -= most) {
            mail({known, reader.node, ControlMessage::want, r, static_cast<std::uint32_t>(std::min(left, most))});
        }
    }
}

// Begins the next request, if there is something to ask for and a free tag.
inline bool Worker::begin_request(Flow& flow, std::uint32_t f) {
    const std::uint32_t r = traffic_.reader_of[f];
    Reader& reader = traffic_.readers[r];
    if (reader.wanted.empty() || reader.waits) {
        return false;
    }
    const std::int64_t largest = std::max<std::int64_t>(traffic_.read_request, traffic_.flows[reader.flow].unit);
    const std::int64_t bytes = std::min<std::int64_t>(reader.wanted.front(), largest);
    Requester& requester = traffic_.requesters[reader.requester];
    if (requester.outstanding > 0 && requester.outstanding + bytes > requester.most) {
        reader.waits = true;
        requester.waiting.push(r);
        return false;
    }
    requester.outstanding += bytes;
    reader.wanted.front() -= static_cast<std::uint32_t>(bytes);
    if (reader.wanted.front() == 0) {
        reader.wanted.pop();
    }
    flow.psn = static_cast<std::uint32_t>(bytes);
    flow.left = (bytes + traffic_.read_request - 1) / traffic_.read_request * traffic_.request_bytes;
    flow.end_bits = 0;
    return true;
}

inline void Worker::receive_request(std::uint32_t f, const Frame& frame, Ps tail) {
    const Reader& reader = traffic_.readers[traffic_.reader_of[f]];
    mail({tail, traffic_.flows[reader.flow].node, ControlMessage::grant, reader.flow, frame.psn()});
}

// Whether the flow's next packet has been asked for, or need not be because it is sent again.
inline bool Worker::is_granted(const Flow& flow, std::uint32_t f) const {
    const std::uint32_t r = traffic_.reader_of[f];
    if (r == none || traffic_.is_request(f)) {
        return true;
    }
    const Reader& reader = traffic_.readers[r];
    const bool again = shared_.lossy && !shared_.recoveries[f].again.empty();
    return again || flow.psn != reader.psn ||
           reader.sent + std::min<std::int64_t>(flow.left, flow.unit) <= reader.granted;
}

inline void Worker::count_granted(std::uint32_t f, std::uint32_t psn, std::uint32_t bytes) {
    const std::uint32_t r = traffic_.reader_of[f];
    if (r != none && !traffic_.is_request(f) && psn == traffic_.readers[r].psn) {
        ++traffic_.readers[r].psn;
        traffic_.readers[r].sent += bytes;
    }
}

// Called when data has come to the device that asked for it.
inline void Worker::return_tag(std::uint32_t r, std::uint32_t bytes, Ps now) {
    Requester& requester = traffic_.requesters[traffic_.readers[r].requester];
    requester.outstanding = std::max<std::int64_t>(0, requester.outstanding - bytes);
    for (std::uint32_t waiting = requester.waiting.size(); waiting > 0; --waiting) {
        Reader& next = traffic_.readers[requester.waiting.front()];
        requester.waiting.pop();
        next.waits = false;
        wake_flow(next.requests, now);
        if (next.waits) {
            return;  // still no tag for its request
        }
    }
}

inline void Worker::end_read(std::uint32_t f, const Frame& frame, Ps tail) {
    const std::uint32_t r = traffic_.reader_of[f];
    if (r != none && traffic_.readers[r].ends) {
        mail({tail, traffic_.readers[r].node, ControlMessage::returned, r, frame.bytes});
    }
}

}  // namespace fabricast::packet
