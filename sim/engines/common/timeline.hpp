#pragma once
// The result of a replay: small, whatever the size of the schedule.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline engine_common {

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
    std::uint64_t alike = 1;  // number of equally used links that this one represents
};

struct ClassUse {
    LinkClass cls = LinkClass::other;
    double bytes = 0;
    double busy_s = 0;  // summed over links of the class that carried anything
};

// What happened at one port of the packet engine.
struct PortUse {
    LinkId link{};
    int lane = -1;  // index of the lane on the link; -1: the link has only one
    double bytes = 0;
    std::int64_t most_queued = 0;    // bytes
    std::int64_t most_headroom = 0;  // bytes above the pause threshold in the link's receive buffer
    std::int64_t marks = 0;          // ECN
    std::int64_t drops = 0;          // in the link's receive buffer
    std::int64_t pauses = 0;         // PFC frames that the link's receive buffer sent
    Duration paused;                 // time paused by these frames
    Duration starved;                // time in which it had packets but no credit
};

// One port over time, in bins of `width`, which is the same in all series of a replay.
struct PortSeries {
    LinkId link{};
    int lane = -1;  // as PortUse
    Duration width;
    std::vector<std::int64_t> queued;  // most bytes in each bin
    std::vector<Duration> paused;
    std::vector<std::int64_t> sent;  // bytes
};

// The rate that congestion control allowed one flow, bytes per second in bins of `width`; 0 in bins without sending.
struct RateSeries {
    DeviceId src{}, dst{};
    Duration width;
    std::vector<double> rate;
};

// When the pieces of one flow (messages, or slices of a pipeline's chunks) arrived at its receiver, in order.
struct PieceArrivals {
    DeviceId src{}, dst{};
    std::vector<Time> at;
};

// One sending of a packet of a watched connection, and what became of it. A packet that is sent again has several.
struct PacketFlight {
    enum Fate : std::uint8_t { under_way, arrived, refused, trimmed, dropped };  // refused: its receiver wants another
    std::int64_t first = 0;  // its place among the connection's wire bytes
    std::int32_t bytes = 0;
    bool again = false;  // not for the first time
    bool marked = false;
    Fate fate = under_way;
    Time sent, ended;
};

// What the sender of a watched connection hears, or (a timeout) does not.
struct PacketSignal {
    enum Kind : std::uint8_t { acknowledged, asked_for, notice, timeout } kind = acknowledged;
    Time at;
    std::int64_t byte = 0;  // acknowledged up to here, or asked for from here on
};

// The packets of one connection: the first messages from one device to another, or a pipeline's pieces.
struct PacketSequence {
    std::string src, dst;
    std::vector<PacketFlight> flights;  // in order of sending
    std::vector<PacketSignal> signals;
    std::vector<std::pair<Time, Time>> pauses;  // of the first port on its way that pauses
    std::vector<std::int64_t> ends;             // where a message or piece ends
    std::int64_t bytes = 0;                     // of all that was sent for the first time
    std::int64_t left_out = 0;                  // sendings that are not in `flights`, which is bounded
};

// Results that only the packet engine has.
struct PacketUse {
    std::int64_t hops = 0;       // packets times links
    std::int64_t delivered = 0;  // packets
    double delivered_bytes = 0;  // wire bytes that reached their receivers, repeats included
    std::int64_t marks = 0, notices = 0, drops = 0, trimmed = 0, resent = 0, timeouts = 0, pauses = 0, watchdog = 0;
    Duration paused, starved;  // summed over ports
    double throttled = 0;      // by congestion control: share of the time from first to last packet, summed over flows
    double timed_out = 0;      // the same of flows that waited for a timeout of what nobody asked them for again
    Duration fct_p50, fct_p99, fct_max;  // messages: from ready to the last byte
    std::vector<PortUse> ports;          // a bounded list: the ports that held traffic up most
    // Filled only if asked for; bounded: the worst ports, the most throttled flows, the first flows' pieces.
    std::vector<PortSeries> series;
    std::vector<RateSeries> rates;
    std::vector<PieceArrivals> arrivals;
    std::int64_t ports_used = 0;             // ports that carried anything; `series` has the worst of them
    std::optional<PacketSequence> sequence;  // without flights if no such message was sent
    std::vector<std::string>
        victims;                   // a bounded list: flows held up by a pause, though none of their own links is full
    std::size_t victim_pairs = 0;  // of which `victims` are the first
    int ways = 1;                  // paths that one flow could be spread over, at most
    std::int64_t windows = 0;
    double bytes_in_flight = 0;  // allocated bytes of rings and queues per packet in flight at the peak
};

// A fabric of at most this many links (about 512 nodes of eight GPUs) has the load of each link in a Timeline.
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

}  // namespace fabricast::inline engine_common
