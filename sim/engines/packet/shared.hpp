#pragma once
// What all threads of a replay see.

#include <atomic>
#include <memory>
#include <vector>

#include "sim/engines/packet/control_message.hpp"
#include "sim/engines/packet/controller.hpp"
#include "sim/engines/packet/infiniband_rate.hpp"
#include "sim/engines/packet/logical_processes.hpp"
#include "sim/engines/packet/recovery.hpp"
#include "sim/engines/packet/sender.hpp"
#include "sim/engines/packet/series.hpp"

namespace fabricast::packet {

// What is kept against time, however large the traffic: senders' rates, flows whose pieces are followed, of each so
// many.
inline constexpr std::size_t rates_kept = 1024, arrivals_kept = 256, pieces_kept = 256;

// How long congestion control held a flow back, beside what its path and its own cap need.
struct Throttle {
    double least_pace = 0;  // ps a byte without it
    double held = 0;        // ps
    Ps first = never, last = 0;

    void saw(Ps start, double pace, std::uint32_t bytes) {
        held += std::max(0.0, pace - least_pace) * bytes;
        first = std::min(first, start);
        last = start;
    }
};

// What all domains see: each node's part is written by the domain that owns it, `wake` by any.
struct Shared {
    Shared(Traffic& traffic, const Packet& options, std::uint32_t threads);

    Traffic& traffic;
    Network& net;
    const Packet& options;
    LogicalProcesses islands;
    CongestionControl control;  // none where no flow is under it
    bool lossy = false;
    bool corrupts = false;  // links lose packets at random
    std::vector<Sender> senders;
    std::vector<Inbox> inboxes;  // per node
    std::vector<Ps> next;        // per node: when it has something to do
    std::unique_ptr<std::atomic<Ps>[]>
        wake[2];                        // per node: the earliest that other islands sent it in this window, in the last
    std::vector<std::uint64_t> active;  // bits: ports with a queue or a sender that waits
    std::vector<Dcqcn> dcqcn;
    std::vector<RateSeries> rates;          // of the first of them; empty: nobody asked
    std::vector<std::vector<Ps>> arrivals;  // when pieces of the first flows came; empty: nobody asked
    std::vector<Timely> timelies;
    std::vector<InfinibandRate> infiniband;
    std::vector<Throttle> throttles;
    std::vector<std::uint32_t> ack_every;  // packets, a power of two; per controlled flow
    std::vector<Recovery> recoveries;      // per flow
    std::vector<Series> series;            // per port

    std::uint32_t domain_of(std::uint32_t node) const { return islands.domain[islands.of[node]]; }
};

}  // namespace fabricast::packet
