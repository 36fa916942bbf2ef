#pragma once
// The schedule's connections and pipeline streams as flows of packets. A flow's first node owns its sending side; the
// node before its last link owns its receiving side, since what leaves there is certain to arrive.

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/packet/network.hpp"
#include "sim/engines/packet/sparse.hpp"

namespace fabricast::inline packet {

// Sending side: one cache line.
struct alignas(64) Flow {
    std::uint32_t node = 0, port = 0;  // node and port at which it begins
    std::uint32_t controller = none;
    std::uint32_t psn = 0;       // sequence number of the next packet
    std::int64_t left = 0;       // wire bytes of the piece still to be sent
    double pace = 0;             // ps per byte; 0: as fast as the link
    Ps next = 0;                 // no packet may be sent earlier
    Ps last = -1;                // when the last packet was sent
    std::uint16_t unit = 4096;   // wire bytes of a full packet
    std::uint16_t end_bits = 0;  // of the piece's last packet
    bool waiting = false;        // is in its sender's queues
    bool open = false;           // in the middle of a piece
    std::uint8_t variant = 0;    // the path that it took last
};

static_assert(sizeof(Flow) == 64);

// Receiving side. Packets may arrive out of order or be lost.
struct Receiver {
    std::uint32_t piece = 0;     // the one being received
    std::uint32_t got = 0;       // packets of this piece and of later ones
    std::uint32_t expected = 0;  // next sequence number (when packets may be lost)
    std::uint32_t unacked = 0;
    Ps asked_at = -never;  // selective repeat: when all gaps were last asked for
    std::uint32_t asked_up_to = 0;
    Ps last_notice = -never;  // CNP
    bool asked = false;       // a NAK is on its way
};

// Go-back-N and selective repeat, for when packets may be lost: what a sender keeps until it is acknowledged, and what
// a receiver accepts. Sequence numbers are 32 bits wide here; packets carry the low 16.

// A piece that is not yet fully acknowledged.
struct Unacked {
    std::uint32_t first = 0;  // sequence number of its first packet
    std::uint32_t packets = 0;
    std::int64_t bytes = 0;
    std::uint16_t end_bits = 0;
};

struct Recovery {
    // Sending side.
    std::deque<Unacked> pieces;
    std::uint32_t replay = 0;  // index in `pieces` of the next to be sent again; pieces.size(): none
    std::uint32_t acked = 0;   // all packets before this one have arrived
    // Go-back-N, hop by hop inside the sender's node: the next that passes there.
    static constexpr std::size_t hops_inside = 8;
    std::array<std::uint32_t, hops_inside> next{};
    std::uint32_t timer_saw = 0;
    bool timer = false;
    Fifo<std::uint32_t> again;  // single packets that the receiver has asked for
    std::int64_t resent = 0, timeouts = 0;
    Ps first_sent = never, last_sent = 0;
    void saw(Ps start) {
        first_sent = std::min(first_sent, start);
        last_sent = start;
    }
    Ps sent_for() const { return std::max<Ps>(0, last_sent - first_sent); }
    // Receiving side of selective repeat: end bits of what came early, plus one; 0: missing.
    std::deque<std::uint16_t> early;
};

// Packets that a flow may have on their way: half of what the numbers in packets tell apart.
inline constexpr std::int32_t most_unacked = 1 << 15;

// The full sequence number of a packet, which is near `expected`.
inline std::uint32_t widen(std::uint16_t psn, std::uint32_t expected) {
    return expected + static_cast<std::uint32_t>(static_cast<std::int32_t>(
                          static_cast<std::int16_t>(psn - static_cast<std::uint16_t>(expected))));
}

// Messages of a connection, in the order of the schedule.
struct Messages {
    std::uint32_t begin = 0, end = 0;  // into Traffic::message_ops
    std::uint32_t next = 0;            // sending side
    std::uint32_t arrived = 0;         // receiving side
};

// One channel on an edge of a pipeline: pieces (slices of chunks) that wait for those they forward and for a free slot.
// Its sender writes one cache line, its receiver the other.
struct alignas(64) Stream {
    Ps overhead = 0;
    Ps have_at = 0;           // when the last piece of `have` came
    Ps freed_at = 0;          // when the last slot of `freed` was freed
    std::uint32_t next = 0;   // next piece to send
    std::uint32_t have = 0;   // pieces that all streams before have delivered
    std::uint32_t freed = 0;  // chunks whose slots are free again
    std::uint32_t pieces = 0;
    std::uint32_t piece_bytes = 0, last_bytes = 0;  // wire bytes of a piece, and of a piece of the last chunk
    float slots = 8;
    std::uint16_t slices = 1;
    bool started = false;
    bool follows = false;           // other streams lead to it
    bool circular = false;          // pieces forward those of the chunk before, as in a ring
    std::uint16_t fill_chunks = 0;  // chunks at the end that take no slot

    alignas(64) Ps slot_delay = 0;
    std::uint32_t delivered = 0;
    std::uint32_t slots_end = 0;                           // pieces from here on free slots that no later chunk needs
    std::uint32_t chunk_pieces = 1;                        // same as `slices`
    std::uint32_t sender = 0;                              // the sender's node
    std::uint32_t first_follower = 0, follower_count = 0;  // into Traffic::followers
    std::uint32_t flow = none;
    std::uint32_t pipeline = 0;
    std::uint32_t first = 0, first_have = 0;  // of its pipeline, into Traffic::streams and Traffic::have
    bool releases = false;                    // the pipeline is released when all such streams have sent everything
    bool tells = false;                       // its receiver must be told of its pieces

    std::uint32_t lag() const { return circular ? slices : 0; }
    std::uint32_t whole_slots() const { return static_cast<std::uint32_t>(slots); }
    std::uint32_t pieces_with_slots() const { return pieces - std::uint32_t{fill_chunks} * slices; }
    // Pieces before this one wait for those that they forward: of a ring, all but its fill, which is time, not a
    // message.
    std::uint32_t dependent_end() const { return circular ? pieces_with_slots() : pieces; }
};

static_assert(sizeof(Stream) == 128);

// A stream that forwards another stream's pieces. Streams and counts are numbered within the pipeline.
struct Follower {
    std::uint32_t stream = 0;
    std::uint32_t have = none;                   // into Traffic::have: pieces from here; none: the only predecessor
    std::uint32_t first_have = 0, have_end = 0;  // the counts of all predecessors
};

// What pipelines have in common that differ in nothing but when they start: a training step has thousands of them.
struct Shape {
    std::uint32_t first = 0, count = 0;  // its streams, into Traffic::stream_patterns
    std::uint32_t have_count = 0;
    std::uint32_t controlled = 0;              // flows under congestion control
    std::uint32_t streams = 0, releasing = 0;  // those that cross a port, and of them those that release the pipeline
    std::uint32_t uses = 0;                    // pipelines
    double seconds_alone = 0;                  // if it occupies devices: from start to end
    double draining = 0;                       // seconds after its last piece has arrived
};

// A flow whose first leg is read over PCIe: the requester asks for the bytes in requests of at most MRRS, as its tags
// allow, and the memory sends what it was asked for.
struct Reader {
    std::uint32_t flow = none;       // flow of the data
    std::uint32_t requests = none;   // flow of the requests
    std::uint32_t requester = none;  // into Traffic::requesters
    std::uint32_t node = none;       // the requester's node
    std::uint8_t hop = 0;            // the hop of the data, counted from one, that leads to the requester
    bool ends = false;               // the data goes no further
    Ps doorbell = 0;                 // time until the requester knows of a piece
    // Written by the memory's node.
    std::uint32_t announced = 0;  // pieces that the requester has been told of
    std::uint32_t psn = 0;        // sequence number of the next packet that is sent for the first time
    std::int64_t granted = 0, sent = 0;
    // Written by the requester's node.
    std::uint32_t known = 0, piece = 0;  // pieces that it has been told of, and of these the next to request
    std::int64_t left = 0;               // bytes still to be requested of the piece before
    bool waits = false;                  // waits for a tag
};

// A device that reads: the bytes that it has asked for and not received, their limit, and readers that wait for a tag.
struct Requester {
    std::int64_t outstanding = 0, most = 0;
    Fifo<std::uint32_t> waiting;
};

// Flows are numbered: the connections', then pipeline after pipeline its streams', then the requests of reads. What a
// pipeline needs is made when it starts (`begin`), from the patterns of its shape, and given back after its end.
struct Traffic {
    Network network;
    Sparse<Route> routes;  // per flow; stored separately, since a switch looks up nothing else
    Sparse<Flow> flows;
    Sparse<Receiver> receivers;              // per flow
    std::vector<Messages> connections;       // numbered as their flows
    std::vector<std::uint32_t> message_ops;  // transfers of a connection in order
    std::vector<OpId> op_of_transfer, op_of_pipeline;
    std::vector<std::int64_t> message_bytes;  // per transfer: wire bytes
    std::vector<Ps> message_ready;            // per transfer: when it may enter the network; never: not known yet
    Sparse<Stream> streams;
    Sparse<std::uint32_t> have;
    Sparse<Ps> times;
    std::uint32_t times_each = 0;  // entries in `times` per stream for pieces, and as many for slots; a power of two
    std::uint32_t first_stream_flow = 0;  // flows from here on are streams, in order; those before, connections
    std::vector<Shape> shapes;
    std::vector<Stream> stream_patterns;
    std::vector<Flow> flow_patterns;      // of the connections, of the stream patterns, of the requests
    std::vector<Route> route_patterns;    // of the same
    std::vector<Follower> followers;      // stream pattern after stream pattern
    std::vector<std::uint32_t> shape_of;  // per pipeline
    std::vector<std::uint32_t> first_stream, first_have, first_controller;  // per pipeline, and the end
    bool all_begun = false;                                // links may fail or are read over: nothing is made later
    Sparse<std::uint32_t> controlled;                      // per controller: its flow
    CongestionControl control = CongestionControl::none;   // congestion control of these flows
    std::uint32_t first_request_flow = none;               // flows from here on are requests of reads
    std::uint32_t watched = none, watched_pattern = none;  // flow whose packets are kept, one by one; its pattern
    std::vector<Reader> readers;
    std::vector<std::uint32_t> reader_of;  // per flow; empty if there are no reads
    std::vector<Requester> requesters;
    std::int64_t read_request = 0, request_bytes = 0;  // bytes: MRRS, and the size of a request on the wire

    // Makes the streams of a pipeline and their flows, and gives them back.
    void begin(std::uint32_t pipeline);
    void end(std::uint32_t pipeline);
    // Calls visit(array, begin, count) for what a pipeline has of each array.
    template <class Visit> void for_each_part(std::uint32_t pipeline, Visit&& visit) {
        const std::size_t first = first_stream[pipeline], count = shape(pipeline).count;
        visit(routes, first_stream_flow + first, count);
        visit(flows, first_stream_flow + first, count);
        visit(receivers, first_stream_flow + first, count);
        visit(streams, first, count);
        visit(times, 2 * times_each * first, 2 * times_each * count);
        visit(have, first_have[pipeline], shape(pipeline).have_count);
        visit(controlled, first_controller[pipeline], shape(pipeline).controlled);
    }
    // Makes a flow from a pattern.
    void begin_flow(std::uint32_t flow, std::uint32_t pattern, std::uint32_t first_controller);

    const Shape& shape(std::uint32_t pipeline) const { return shapes[shape_of[pipeline]]; }
    std::uint32_t pipeline_of(std::uint32_t stream) const {
        const auto after = std::upper_bound(first_stream.begin(), first_stream.end(), stream);
        return static_cast<std::uint32_t>(after - first_stream.begin()) - 1;
    }
    // The pattern of a stream's flow.
    std::uint32_t flow_pattern(const Shape& shape, std::uint32_t i) const {
        return first_stream_flow + shape.first + i;
    }
    // The route that has way number `way` of the flow: its own ways are numbered first, then its detours. Changes `way`
    // to the index in that route.
    const Route& route_of(std::uint32_t flow, std::uint32_t& way) const {
        const Route& own = routes[flow];
        if (way < own.variants) { return own; }
        const std::uint32_t detour = network.first_detour[flow] + way - own.variants;
        way = 0;
        return network.detours[detour];
    }
    // Which ways the flow may take at `now`: Epoch::ways.
    std::uint32_t ways_of(std::uint32_t flow, Ps now) const {
        std::uint32_t ways = 0;
        for (const Epoch& epoch : network.epochs) { ways = epoch.from <= now ? epoch.ways[flow] : ways; }
        return ways;
    }
    bool is_request(std::uint32_t flow) const { return flow >= first_request_flow; }
    bool is_stream(std::uint32_t flow) const { return flow >= first_stream_flow && !is_request(flow); }
    std::uint32_t stream_of(std::uint32_t flow) const { return flow - first_stream_flow; }
    // When each piece came to a stream's sender and each slot was freed; needed if the latest is not enough.
    Ps& piece_time(std::uint32_t stream, std::uint32_t piece) {
        return times[2UL * stream * times_each + (piece & (times_each - 1))];
    }
    Ps& slot_time(std::uint32_t stream, std::uint32_t chunk) {
        return times[(2UL * stream + 1) * times_each + (chunk & (times_each - 1))];
    }
};

}  // namespace fabricast::inline packet
