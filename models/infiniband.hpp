#pragma once
// InfiniBand, SDR to XDR: packet overhead, one message's latency, link-level credits, in-network reduction (SHARP).
// Sources: InfiniBand Architecture Specification Vol. 1 §5-§7, §9 (headers, credits); Graham et al., "SHARP streaming-
// aggregation", ISC'20 (reduction at 95 % of the link).

#include "base/units.hpp"
#include "models/link.hpp"

namespace fabricast::infiniband {

// Header fields, IBTA Vol. 1 §7.7, §9.2-9.3 and §7.8.
inline constexpr Bytes lrh{8}, grh{40}, bth{12}, reth{16}, aeth{4}, icrc{4}, vcrc{2};

// Bytes of a reliable-connection packet inside a subnet, in addition to its payload.
inline constexpr Bytes packet_overhead = lrh + bth + icrc + vcrc;
// The first packet of an RDMA write also carries the address: once per message.
inline constexpr Bytes message_overhead = reth;
inline constexpr Bytes ack_bytes = lrh + bth + aeth + icrc + vcrc;

static_assert(packet_overhead == Bytes{26} && ack_bytes == Bytes{30});

// MTU is one of 256, 512, 1024, 2048, 4096.
constexpr Framing framing(Bytes mtu) { return {.payload = mtu, .header = packet_overhead, .setup = message_overhead}; }

constexpr double efficiency(Bytes mtu) {
    return static_cast<double>(mtu.count) / static_cast<double>((mtu + packet_overhead).count);
}

// The longest cable that still runs at full rate, in metres. Credits limit it: they count blocks of 64 B, at most 2048
// per virtual lane (IBTA Vol. 1 §7.9.4). `response` is the receiver's time to return credits.
double credit_reach_metres(Rate rate, Bytes mtu, Duration response, double seconds_per_metre);

inline constexpr Bytes credit_limit = Bytes{64} * 2048;

// --- SHARP --------------------------------------------------------------------------------------------------------

struct SharpTree {
    int height = 1;  // switches from a host to the root, including the root
    Duration switch_latency;
    Duration link_latency;      // one cable including its PHYs
    Duration nic_latency;       // host to wire, or wire to host
    Duration aggregation;       // time that the reduction adds, all switches together
    double link_bandwidth = 0;  // payload bytes per second of one host port
    double efficiency = 0.95;   // share of the bandwidth that streaming aggregation reaches
};

// Time of an all-reduce of `size` bytes per host in the network: up the tree and down again. Every byte crosses each
// host link once in each direction, so the time is nearly independent of the number of hosts.
double sharp_all_reduce_seconds(const SharpTree& tree, Bytes size);

// Height of the tree that connects `hosts` with switches of `radix` ports: half of the ports face down, at the root all
// of them.
int tree_height(std::int64_t hosts, int radix);

}  // namespace fabricast::infiniband
