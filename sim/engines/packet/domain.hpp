#pragma once
// What one thread knows of the island that it is running, and how that island reaches the others. The functions that
// move packets (flow_control, reads, sending, resending, receiving, departures, rerouting and arriving, each header
// above those before it) work on it. They are inline and included by worker.cpp only: the hot ones call each other tens
// of millions of times a second. In all of them `d` is the domain, and p a port, f a flow, s a stream and r a reader by
// their numbers. [[gnu::cold]]: not on the path of a packet that nothing holds up; inlined into that path, these
// functions would add a tenth to the instructions of every hop.

#include <algorithm>
#include <cassert>
#include <vector>

#include "sim/engines/packet/shared.hpp"

namespace fabricast::inline packet {

// When a port may send.
struct Turn {
    Ps start = 0;
    std::uint32_t port = none;
    friend auto operator<=>(const Turn&, const Turn&) = default;
};

// The earliest arrival at a node of what one thread's islands sent there in a window. Each thread writes its own: to
// agree on one took an atomic exchange, which waits for all that the thread has written before.
struct Wake {
    Ps at = never;
    std::int64_t window = 0;
};

struct Domain {
    Domain(Shared& all, std::uint32_t domains) : shared(all) {
        for (unsigned i = 0; i < 2; ++i) {
            outbox[i].resize(domains);
            woken[i].resize(net.nodes.size());
        }
    }

    struct Candidate {  // port that may send next
        Turn turn;
        std::uint64_t as_of;  // value of held_up when its start was computed
    };

    Shared& shared;
    Traffic& traffic = shared.traffic;
    Network& net = shared.net;
    const Packet& options = shared.options;
    // What every hop touches, one load away.
    Port* const ports = net.ports.get();
    Ingress* const ingress = net.ingress.data();
    PortCounts* const port_counts = net.counts.data();
    Node* const nodes = net.nodes.data();
    Sender* const senders = shared.senders.data();
    Ps* const node_next = shared.next.data();
    bool alone = true;                                          // no other thread runs in this window
    const std::uint32_t* island_of = shared.islands.of.data();  // per node
    Wake* wakes = nullptr;                                      // this window's of `woken`
    std::int64_t window = 0;                                    // its number
    std::uint32_t island = none;                                // the island that is running
    Ps island_next = never;
    Ps window_end = 0;
    Ps start = 0, end = 0;  // the island's current step
    Ps next = never;        // when there is next something to do, here or for those that this thread has sent to
    unsigned parity = 0;
    std::uint64_t held_up = 0;              // how often a departure may have held up other ports
    bool watched = !shared.series.empty();  // ports' series are kept
    const bool cut_through = options.cut_through;
    const bool restarts = shared.restarts;
    bool telemetry = shared.control == CongestionControl::hpcc;  // switches write into packets
    const bool noted = watched || telemetry;                     // packets as they leave
    bool only_counts = shared.only_counts();                     // packets at their receivers, until a piece has ended
    std::vector<Candidate> candidates;
    std::vector<std::vector<ControlMessage>> outbox[2];  // per domain
    std::vector<Wake> woken[2];                          // per node, by whether the window's number is odd
    std::vector<const Wake*> heard;                      // the last window's of all threads that ran islands in it
    std::vector<Done> done;
    DomainCounts counts;

    // The earliest time, not before `at`, at which the node may hear of something that happens now.
    Ps earliest(std::uint32_t node, Ps at) const {
        return std::max(at, shared.islands.of[node] == island ? end : window_end);
    }

    // In the same island: a node that runs later in this step looks at its links, and one that has run keeps `next`.
    [[gnu::always_inline]] void wake(std::uint32_t node, Ps at) {
        if (island_of[node] == island) {
            node_next[node] = std::min(node_next[node], at);
            island_next = std::min(island_next, at);
        } else if (Wake& known = wakes[node]; at < known.at || known.window != window) {
            known = {at, window};
            next = std::min(next, at);
        }
    }

    void mail(const ControlMessage& mail) {
        assert(mail.time == earliest(mail.node, mail.time));
        next = std::min(next, mail.time);
        if (alone || island_of[mail.node] == island) {
            deliver(mail);
        } else {  // another thread may be running that island now
            outbox[parity][shared.domain_of(mail.node)].push_back(mail);
        }
    }

    void deliver(const ControlMessage& mail) {
        shared.inboxes[mail.node].push(mail);
        shared.next[mail.node] = std::min(shared.next[mail.node], mail.time);
        if (shared.islands.of[mail.node] == island) { island_next = std::min(island_next, mail.time); }
    }

    void saw_queue(std::uint32_t p, Ps at) {
        if (watched) [[unlikely]] { keep_queue(p, at); }
    }
    void saw_end(const Frame& frame, PacketFlight::Fate fate, Ps at) {
        if (frame.flow == shared.sequence.flow) { shared.sequence.ended(frame, fate, at); }
    }

private:
    [[gnu::noinline]] void keep_queue(std::uint32_t p, Ps at) { shared.series[p].saw_queue(at, ports[p].queued_bytes); }
};

}  // namespace fabricast::inline packet
