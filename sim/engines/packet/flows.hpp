#pragma once
// Who sends what: the schedule's connections and pipeline streams as flows of packets. A flow's first node owns its
// sending side; the node before its last link its receiving side, since what leaves there arrives for certain.

#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/packet/network.hpp"

namespace fabricast::packet {

// Sending side: one cache line.
struct alignas(64) Flow {
    std::uint32_t node = 0, port = 0;  // where it begins
    std::uint32_t controller = none;
    std::uint32_t psn = 0;       // of the next packet
    std::int64_t left = 0;       // wire bytes of the piece still to be sent
    double pace = 0;             // ps per byte; 0: as fast as the link
    Ps next = 0;                 // no packet before
    Ps last = -1;                // when one was sent last
    std::uint16_t unit = 4096;   // wire bytes of a full packet
    std::uint16_t end_bits = 0;  // of the piece's last packet
    bool waiting = false;        // has a place in its sender's queues
    bool open = false;           // inside a piece
    std::uint8_t variant = 0;    // last way taken
};

static_assert(sizeof(Flow) == 64);

// Receiving side, where packets may arrive out of order or be lost.
struct Receiver {
    std::uint32_t piece = 0;     // being received
    std::uint32_t got = 0;       // packets of it and of later ones
    std::uint32_t expected = 0;  // next sequence number (when packets may be lost)
    std::uint32_t unacked = 0;
    Ps asked_at = -never;  // selective repeat: when all gaps were asked for
    std::uint32_t asked_up_to = 0;
    Ps last_notice = -never;  // CNP
    bool asked = false;       // a NAK is on its way
};

// Messages of a connection, in the order of the schedule.
struct Messages {
    std::uint32_t flow = none;
    std::uint32_t begin = 0, end = 0;  // into Traffic::message_ops
    std::uint32_t next = 0;            // sending side
    std::uint32_t arrived = 0;         // receiving side
};

// One channel on an edge of a pipeline: pieces (slices of chunks) that wait for those they forward and for a free slot.
// A cache line that its sender writes, and one of its receiver.
struct alignas(64) Stream {
    Ps overhead = 0;
    Ps have_at = 0;           // when the last of `have` came
    Ps freed_at = 0;          // and of `freed`
    std::uint32_t next = 0;   // piece
    std::uint32_t have = 0;   // pieces that all streams before have delivered
    std::uint32_t freed = 0;  // chunks whose slots are free again
    std::uint32_t pieces = 0;
    std::uint32_t dependent_to = 0;                 // pieces before it wait for those that they forward
    std::uint32_t piece_bytes = 0, last_bytes = 0;  // wire bytes; of the last chunk's pieces
    float slots = 8;
    std::uint16_t slices = 1;
    bool started = false;
    bool follows = false;           // others lead to it
    bool circular = false;          // pieces forward those of the chunk before, as in a ring
    std::uint16_t fill_chunks = 0;  // the last ones, which take no slot

    alignas(64) Ps slot_delay = 0;
    std::uint32_t delivered = 0;
    std::uint32_t slots_end = 0;                           // pieces from here on free slots that nobody needs
    std::uint32_t chunk_pieces = 1;                        // as `slices`
    std::uint32_t sender = 0;                              // node
    std::uint32_t first_follower = 0, follower_count = 0;  // into Traffic::followers
    std::uint32_t flow = none;
    std::uint32_t pipeline = 0;
    bool releases = false;  // the pipeline lets go when this has sent all
    bool tells = false;     // somebody waits for its pieces

    std::uint32_t lag() const { return circular ? slices : 0; }
    std::uint32_t whole_slots() const { return static_cast<std::uint32_t>(slots); }
    std::uint32_t pieces_with_slots() const { return pieces - std::uint32_t{fill_chunks} * slices; }
};

static_assert(sizeof(Stream) == 128);

// Whom a stream's piece is forwarded by.
struct Follower {
    std::uint32_t stream = 0;
    std::uint32_t have = none;                   // its place in Traffic::have; none: nobody else leads there
    std::uint32_t first_have = 0, have_end = 0;  // of all that lead there
};

// A flow whose first leg is read over PCIe: the requester asks for the bytes in requests of at most MRRS, as its tags
// allow, and the memory sends what it was asked for.
struct Reader {
    std::uint32_t flow = none;       // of the data
    std::uint32_t requests = none;   // flow
    std::uint32_t requester = none;  // into Traffic::requesters
    std::uint32_t node = none;       // the requester's
    std::uint8_t hop = 0;            // of the data, counted from one, that leads there
    bool ends = false;               // and no further
    Ps doorbell = 0;                 // until the requester knows of a piece
    // Written by the memory's node.
    std::uint32_t announced = 0;  // pieces
    std::uint32_t psn = 0;        // of the next packet that is sent for the first time
    std::int64_t granted = 0, sent = 0;
    // Written by the requester's.
    Fifo<std::uint32_t> wanted;  // bytes, piece by piece
    bool waits = false;          // for a tag
};

// A device that reads: bytes it has asked for and not got, and readers without a tag.
struct Requester {
    std::int64_t outstanding = 0, most = 0;
    Fifo<std::uint32_t> waiting;
};

struct Traffic {
    Network network;
    std::vector<Route> routes;  // per flow, apart: all that a switch looks up
    std::vector<Flow> flows;
    std::vector<Receiver> receivers;  // per flow
    std::vector<Messages> connections;
    std::vector<std::uint32_t> message_ops;  // transfers of a connection in order
    std::vector<std::uint32_t> op_of_transfer;
    std::vector<std::int64_t> message_bytes;  // per transfer: wire bytes
    std::vector<Ps> message_ready;            // per transfer: may enter the wire; never: not yet
    std::vector<Stream> streams;
    std::vector<Follower> followers;  // of a stream one after the other
    std::vector<std::uint32_t> have;
    std::vector<Ps> times;
    std::uint32_t times_each = 0;             // entries a stream has for pieces and again for slots; a power of two
    std::uint32_t first_stream_flow = 0;      // flows from here on are streams, in order; those before, connections
    std::vector<std::uint32_t> first_stream;  // per pipeline, and the end
    std::vector<double> seconds_alone;        // per pipeline that holds devices: from its start to its end
    std::vector<double> draining;             // per pipeline: seconds behind its last piece
    std::vector<std::uint32_t> controlled;    // flows under congestion control
    CongestionControl control = CongestionControl::none;  // theirs
    std::uint32_t first_request_flow = none;              // flows from here on are requests of reads
    std::vector<Reader> readers;
    std::vector<std::uint32_t> reader_of;  // per flow; empty: nobody reads
    std::vector<Requester> requesters;
    std::int64_t read_request = 0, request_bytes = 0;  // MRRS, and a request on the wire

    // A way by its number: the flow's own, then its detours.
    const Route& route_of(std::uint32_t flow, std::uint32_t& way) const {
        const Route& own = routes[flow];
        if (way < own.variants) {
            return own;
        }
        const std::uint32_t detour = network.first_detour[flow] + way - own.variants;
        way = 0;
        return network.detours[detour];
    }
    // Which ways the flow may take at `now`: Epoch::ways.
    std::uint32_t ways_of(std::uint32_t flow, Ps now) const {
        std::uint32_t ways = 0;
        for (const Epoch& epoch : network.epochs) {
            ways = epoch.from <= now ? epoch.ways[flow] : ways;
        }
        return ways;
    }
    bool is_request(std::uint32_t flow) const { return flow >= first_request_flow; }
    bool is_stream(std::uint32_t flow) const { return flow >= first_stream_flow && !is_request(flow); }
    std::uint32_t stream_of(std::uint32_t flow) const { return flow - first_stream_flow; }
    // When pieces came to a stream's sender and slots were freed, where the last time of either is not enough.
    Ps& piece_time(std::uint32_t stream, std::uint32_t piece) {
        return times[2UL * stream * times_each + (piece & (times_each - 1))];
    }
    Ps& slot_time(std::uint32_t stream, std::uint32_t chunk) {
        return times[(2UL * stream + 1) * times_each + (chunk & (times_each - 1))];
    }
};

}  // namespace fabricast::packet
