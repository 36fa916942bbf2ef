#pragma once
// Reads over PCIe: a piece that may be sent is announced to the device that will fetch it, and that device's requests,
// as many as it has tags for, let the memory send (Neugebauer et al., SIGCOMM'18, section 3: reads are limited by how
// much the tags keep in flight). Instead of a sequence number, a request carries the number of bytes that it asks for.

#include "sim/engines/packet/domain.hpp"

namespace fabricast::inline packet {

inline std::int64_t bytes_of_piece(const Traffic& traffic, std::uint32_t f, std::uint32_t piece) {
    if (traffic.is_stream(f)) {
        const Stream& stream = traffic.streams[traffic.stream_of(f)];
        return std::max(1U, piece + stream.slices >= stream.pieces ? stream.last_bytes : stream.piece_bytes);
    }
    return std::max<std::int64_t>(1, traffic.message_bytes[traffic.message_ops[traffic.connections[f].begin + piece]]);
}

// How many pieces, from the first on, the flow itself is ready to send; at least `known` for messages.
inline std::uint32_t ready_pieces(const Traffic& traffic, std::uint32_t f, std::uint32_t known) {
    if (!traffic.is_stream(f)) {
        const Messages& messages = traffic.connections[f];
        while (messages.begin + known < messages.end &&
               traffic.message_ready[traffic.message_ops[messages.begin + known]] != never) {
            ++known;
        }
        return known;
    }
    const Stream& stream = traffic.streams[traffic.stream_of(f)];
    if (!stream.started) { return 0; }
    const std::uint64_t by_slots = (std::uint64_t{stream.freed} + stream.whole_slots()) * stream.slices;
    auto ready = by_slots < stream.pieces_with_slots() ? static_cast<std::uint32_t>(by_slots) : stream.pieces;
    if (stream.follows && stream.have + stream.lag() < stream.dependent_end()) {
        ready = std::min(ready, stream.have + stream.lag());
    }
    return ready;
}

[[gnu::cold]] inline void announce(Domain& d, std::uint32_t f, Ps now) {
    const std::uint32_t r = d.traffic.reader_of[f];
    if (r == none || d.traffic.is_request(f)) { return; }
    Reader& reader = d.traffic.readers[r];
    const Ps overhead = d.traffic.is_stream(f) ? d.traffic.streams[d.traffic.stream_of(f)].overhead : 0;
    const Ps known = d.earliest(reader.node, now + overhead + reader.doorbell);
    const std::uint32_t ready = ready_pieces(d.traffic, f, reader.announced);
    if (ready == reader.announced) { return; }
    reader.announced = ready;
    d.mail({known, reader.node, ControlMessage::want, r, ready});
}

// Begins the next request, if there is something to ask for and a free tag.
[[gnu::cold]] inline bool begin_request(Domain& d, Flow& flow, std::uint32_t f) {
    const std::uint32_t r = d.traffic.reader_of[f];
    Reader& reader = d.traffic.readers[r];
    if (reader.waits) { return false; }
    if (reader.left == 0 && reader.piece < reader.known) {
        reader.left = bytes_of_piece(d.traffic, reader.flow, reader.piece++);
    }
    if (reader.left == 0) { return false; }
    const std::int64_t largest = std::max<std::int64_t>(d.traffic.read_request, d.traffic.flows[reader.flow].unit);
    const std::int64_t bytes = std::min(reader.left, largest);
    Requester& requester = d.traffic.requesters[reader.requester];
    if (requester.outstanding > 0 && requester.outstanding + bytes > requester.most) {
        reader.waits = true;
        requester.waiting.push(r);
        return false;
    }
    requester.outstanding += bytes;
    reader.left -= bytes;
    flow.psn = static_cast<std::uint32_t>(bytes);
    flow.left = (bytes + d.traffic.read_request - 1) / d.traffic.read_request * d.traffic.request_bytes;
    flow.end_bits = 0;
    return true;
}

[[gnu::cold]] inline void receive_request(Domain& d, std::uint32_t f, const Frame& frame, Ps tail) {
    const Reader& reader = d.traffic.readers[d.traffic.reader_of[f]];
    d.mail({tail, d.traffic.flows[reader.flow].node, ControlMessage::grant, reader.flow, frame.psn()});
}

// Whether the flow's next packet has been asked for, or need not be because it is sent again.
[[gnu::cold]] inline bool is_granted(const Domain& d, const Flow& flow, std::uint32_t f) {
    const std::uint32_t r = d.traffic.reader_of[f];
    if (r == none || d.traffic.is_request(f)) { return true; }
    const Reader& reader = d.traffic.readers[r];
    const bool again = d.shared.lossy && !d.shared.recoveries[f].again.empty();
    return again || flow.psn != reader.psn ||
           reader.sent + std::min<std::int64_t>(flow.left, flow.unit) <= reader.granted;
}

[[gnu::cold]] inline void count_granted(Domain& d, std::uint32_t f, std::uint32_t psn, std::uint32_t bytes) {
    const std::uint32_t r = d.traffic.reader_of[f];
    if (r != none && !d.traffic.is_request(f) && psn == d.traffic.readers[r].psn) {
        ++d.traffic.readers[r].psn;
        d.traffic.readers[r].sent += bytes;
    }
}

[[gnu::cold]] inline void end_read(Domain& d, std::uint32_t f, const Frame& frame, Ps tail) {
    const std::uint32_t r = d.traffic.reader_of[f];
    if (r != none && d.traffic.readers[r].ends) {
        d.mail({tail, d.traffic.readers[r].node, ControlMessage::returned, r, frame.bytes});
    }
}

}  // namespace fabricast::inline packet
