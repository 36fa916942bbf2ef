#pragma once
// What a replay leaves behind: small whatever the size of the schedule.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast {

struct OpTimes {
    OpId op{};
    Time start;  // first byte may move: dependencies met
    Time release;
    Time finish;
};

struct LinkUse {
    LinkId link{};
    double bytes = 0;         // wire bytes over the whole replay
    double utilisation = 0;   // bytes / (capacity * makespan), 0..1
    std::uint64_t alike = 1;  // links used so that it stands for
};

struct ClassUse {
    LinkClass cls = LinkClass::other;
    double bytes = 0;
    double busy_s = 0;  // summed over links of the class that carried anything
};

// What happened at one port of the packet engine.
struct PortUse {
    LinkId link{};
    int lane = -1;  // of those that share the link; -1: it has one
    double bytes = 0;
    std::int64_t most_queued = 0;    // bytes
    std::int64_t most_headroom = 0;  // bytes above the pause threshold in the buffer behind the link
    std::int64_t marks = 0;          // ECN
    std::int64_t drops = 0;          // at the buffer behind the link
    std::int64_t pauses = 0;         // PFC frames that the buffer behind the link sent
    Duration paused;                 // by them
    Duration starved;                // had packets but no credit
};

// One port against time, in bins of `width`: all series of a replay have the same.
struct PortSeries {
    LinkId link{};
    int lane = -1;  // as PortUse
    Duration width;
    std::vector<std::int64_t> queued;  // most bytes in each bin
    std::vector<Duration> paused;
    std::vector<std::int64_t> sent;  // bytes
};

// What congestion control let one flow send, bytes per second in bins of `width`; 0 where it sent nothing.
struct RateSeries {
    DeviceId src{}, dst{};
    Duration width;
    std::vector<double> rate;
};

// When the pieces of one flow (messages, or slices of a pipeline's chunks) came to its receiver, in order.
struct PieceArrivals {
    DeviceId src{}, dst{};
    std::vector<Time> at;
};

// Only the packet engine knows these.
struct PacketUse {
    std::int64_t hops = 0;       // packets times links
    std::int64_t delivered = 0;  // packets
    double delivered_bytes = 0;  // wire bytes that reached their receivers, repeats included
    std::int64_t marks = 0, notices = 0, drops = 0, resent = 0, timeouts = 0, pauses = 0, watchdog = 0;
    Duration paused, starved;  // summed over ports
    double throttled = 0;  // by congestion control: share of the time from a flow's first packet to its last, of all
    Duration fct_p50, fct_p99, fct_max;  // messages: from ready to the last byte
    std::vector<PortUse> ports;          // a bounded list: those that held traffic up most
    // When asked for, bounded lists: the worst ports first, the most throttled flows, the first flows' pieces.
    std::vector<PortSeries> series;
    std::vector<RateSeries> rates;
    std::vector<PieceArrivals> arrivals;
    std::vector<std::string>
        victims;  // a bounded list: flows held up by a pause, though none of their own links is full
    std::int64_t windows = 0;
    double bytes_in_flight = 0;  // memory of a packet on its way, rings and queues with their slack
};

// A fabric of at most this many links (about 512 nodes of eight GPUs) has the load of each of them in a Timeline.
inline constexpr std::uint32_t links_kept = 65536;

struct Timeline {
    Time makespan;
    std::vector<OpTimes> kept;     // in the order of Schedule::kept
    std::vector<LinkUse> busiest;  // a bounded list, most utilised first; equal links are represented once
    std::vector<ClassUse> classes;
    std::vector<float> busy;   // utilisation of each link by its id, 0..1; empty above links_kept
    std::uint64_t solves = 0;  // rate allocations computed
    std::optional<PacketUse> packets;
};

}  // namespace fabricast
