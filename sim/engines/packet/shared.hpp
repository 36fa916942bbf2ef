#pragma once
// What all threads of a replay see.

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "sim/engines/packet/controller.hpp"
#include "sim/engines/packet/frame.hpp"
#include "sim/engines/packet/hpcc.hpp"
#include "sim/engines/packet/logical_processes.hpp"
#include "sim/engines/packet/nscc.hpp"
#include "sim/engines/packet/sender.hpp"
#include "sim/engines/packet/sequence.hpp"
#include "sim/engines/packet/series.hpp"
#include "sim/engines/packet/swift.hpp"

namespace fabricast::inline packet {

// How much is recorded, however large the traffic: senders with rates, flows with pieces, pieces of each of them.
inline constexpr std::size_t rates_kept = 1024, arrivals_kept = 256, pieces_kept = 256;

struct DomainCounts {
    std::int64_t injected = 0, hops = 0, delivered = 0, delivered_bytes = 0, notices = 0, lost = 0, trimmed = 0;

    DomainCounts& operator+=(const DomainCounts& more) {
        injected += more.injected;
        hops += more.hops;
        delivered += more.delivered;
        delivered_bytes += more.delivered_bytes;
        notices += more.notices;
        lost += more.lost;
        trimmed += more.trimmed;
        return *this;
    }
};

// How long congestion control held a flow back, beyond what its path and its own rate cap need.
struct Throttle {
    double least_pace = 0;  // ps per byte without congestion control
    double held = 0;        // ps
    Ps first = never, last = 0;

    void saw(Ps start, double pace, std::uint32_t bytes) {
        held += std::max(0.0, pace - least_pace) * bytes;
        first = std::min(first, start);
        last = start;
    }
    // Time between the first and the last packet.
    double sending() const { return first == never ? 0 : static_cast<double>(last - first); }
};

// What all domains see: each node's part is written by the domain that owns it.
struct Shared {
    Shared(Traffic& traffic, const Packet& options, std::uint32_t threads, bool apart_by_buffers);

    Traffic& traffic;
    Network& net = traffic.network;
    const Packet& options;
    LogicalProcesses islands;
    CongestionControl control = traffic.control;  // none if no flow is under it
    bool lossy = false;
    bool corrupts = false;  // links lose packets at random
    bool restarts = false;  // what goes back N does so where it leaves its node, inside of which nothing is lost
    std::vector<Sender> senders;
    std::vector<Inbox> inboxes = std::vector<Inbox>(net.nodes.size());  // per node
    std::vector<Ps> next;                                               // per node: when it next has something to do
    std::vector<std::uint64_t> active;  // bits: ports whose queue or sender has something waiting
    Sparse<Dcqcn> dcqcn;                // per controlled flow, as the next eight
    Sparse<Timely> timelies;
    Sparse<InfinibandRate> infiniband;
    Sparse<Hpcc> hpcc;
    Sparse<Swift> swift;
    Sparse<Nscc> nscc;
    Sparse<Window> windows;                 // of the last three
    Sparse<InFlight> in_flight;             // `recorded` of each: the last packets by their sequence number
    std::uint32_t recorded = 0;             // a power of two
    bool timed = false;                     // controllers are told when packets were sent
    bool gated = !traffic.readers.empty();  // flows may wait for a tag, their window or acknowledgements
    Sparse<Throttle> throttles;
    Sparse<std::uint32_t> ack_every;          // packets, a power of two
    std::vector<Rates> rates;                 // of the first controlled flows; empty: not asked for
    std::vector<std::vector<Time>> arrivals;  // when pieces of the first flows came; empty: not asked for
    Ps trim_after = never;                    // a queue that takes longer trims packets
    double p_max = options.ecn.p_max;         // share of packets marked just below Kmax
    double held = 0, sending = 0;             // ps: sums over flows that have ended
    bool keeps_ended = false;                 // instead, these one by one: each is known to one rank only
    std::vector<Throttle> ended;
    DomainCounts skipped;                  // of pipelines whose course was taken over
    bool apart_by_buffers;                 // parts that have only a buffer in common are not alone
    std::atomic<bool> buffers_met{false};  // one could have paused the other
    Ps settles = 0;                    // the longest time for which something is under way for a pipeline after its end
    std::vector<Recovery> recoveries;  // per flow
    std::vector<Series> series;        // per port; empty: not asked for
    Sequence sequence;                 // of the watched flow

    // A pipeline starts: makes its flows. It has ended, and nothing is under way for it any more: gives them back.
    void begin(std::uint32_t pipeline);
    void end(std::uint32_t pipeline);

    // Whether something waits in the port's queue or its sender.
    bool has_traffic(const Port& port) const {
        return !port.queue.empty() || (port.sender != none && !senders[port.sender].empty());
    }
    void set_active(Port& port) {
        port.active = true;
        word_of(port) |= std::uint64_t{1} << (port.active_bit % 64);
    }
    [[gnu::always_inline]] void clear_active(Port& port) {
        port.active = false;
        word_of(port) &= ~(std::uint64_t{1} << (port.active_bit % 64));
    }
    InFlight& flight(std::uint32_t controller, std::uint32_t psn) {
        return in_flight[std::size_t{controller} * recorded + (psn & (recorded - 1))];
    }
    // Whether a receiver does no more with a packet than to see whether it ends a piece.
    bool only_counts() const {
        const bool one_way = net.epochs.empty() && std::ranges::all_of(traffic.route_patterns, [](const Route& route) {
                                 return route.variants == 1;
                             });
        return one_way && !lossy && !timed && traffic.readers.empty() && control == CongestionControl::none;
    }
    bool windowed() const { return recorded > 0; }
    bool trims() const { return net.trims; }
    // Bytes that a controller lets be in flight.
    double window(std::uint32_t controller) const {
        return control == CongestionControl::hpcc   ? hpcc[controller].window()
               : control == CongestionControl::nscc ? nscc[controller].window()
                                                    : swift[controller].window();
    }
    std::uint32_t domain_of(std::uint32_t node) const { return islands.domain[islands.of[node]]; }

private:
    // Calls visit(array, entries for each flow) for all that is kept of flows under congestion control.
    template <class Visit> void for_each_controlled(Visit&& visit) {
        const auto one_each = [&](auto&... arrays) { ((arrays.size() > 0 ? visit(arrays, 1) : void()), ...); };
        one_each(dcqcn, timelies, infiniband, hpcc, swift, nscc, windows, throttles, ack_every);
        if (windowed()) { visit(in_flight, recorded); }
    }
    void watch();
    void control_flows(std::uint32_t first, std::uint32_t end);
    void reserve_windows(std::size_t controllers);
    void set_trimming();
    double slowest(std::span<const std::uint32_t> ports) const;
    std::span<const std::uint32_t> own_links(const Route& route) const;
    Ps base_rtt(const Route& route, std::uint32_t bytes) const;
    std::uint64_t& word_of(const Port& port) { return active[port.active_bit / 64]; }
};

// Whether a switch's buffer has room for `bytes` more of an input, and for all that parts which are not simulated may
// hold of it, without a pause of any input.
[[gnu::cold]] inline bool fits_reserved(const Packet& options, const Node& node, const Ingress& in,
                                        std::int64_t bytes) {
    const std::int64_t used = node.used + node.reserved + bytes;
    return used <= std::min(node.buffer, node.reserved_limit) &&
           static_cast<double>(in.bytes + bytes) <= pause_threshold(options, node, in, used);
}

// Windows between two looks at all buffers, if the replay checks itself (common/checks.hpp).
inline constexpr std::int64_t windows_between_checks = 64;

// Throws std::logic_error if a sender has spent more credits than it had, a count of bytes is below zero, or a buffer
// holds more than it has room for. No thread may be running.
void check_buffers(const Shared& shared, const Fabric& fabric);

}  // namespace fabricast::inline packet
