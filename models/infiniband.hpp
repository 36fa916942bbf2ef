#pragma once
// InfiniBand, SDR to XDR: packet overhead, one message's latency, link-level credits, in-network reduction (SHARP).
// Sources: InfiniBand Architecture Specification Vol. 1 §5-§7, §9 (headers, credits); Graham et al., "SHARP streaming-
// aggregation", ISC'20 (reduction at 95 % of the link).

#include "base/units.hpp"
#include "models/link.hpp"

namespace fabricast::infiniband {

// Header fields, IBTA Vol. 1 §7.7, §9.2-9.3 and §7.8.
inline constexpr Bytes lrh{8}, grh{40}, bth{12}, reth{16}, aeth{4}, icrc{4}, vcrc{2};

// A reliable-connection packet inside a subnet, beside its payload.
inline constexpr Bytes packet_overhead = lrh + bth + icrc + vcrc;
// The first packet of an RDMA write also carries the address: once a message.
inline constexpr Bytes message_overhead = reth;
inline constexpr Bytes ack_bytes = lrh + bth + aeth + icrc + vcrc;

static_assert(packet_overhead == Bytes{26} && ack_bytes == Bytes{30});

// MTU is one of 256, 512, 1024, 2048, 4096.
constexpr Framing framing(Bytes mtu) { return {.payload = mtu, .header = packet_overhead, .setup = message_overhead}; }

constexpr double efficiency(Bytes mtu) {
    return static_cast<double>(mtu.count) / static_cast<double>((mtu + packet_overhead).count);
}

// Link-level credits count blocks of 64 B and at most 2048 of them per virtual lane (IBTA Vol. 1 §7.9.4): the longest
// cable that still runs at full rate, in metres, with `response` the receiver's time to return credits.
double credit_reach_metres(Rate rate, Bytes mtu, Duration response, double seconds_per_metre);

inline constexpr Bytes credit_limit = Bytes{64} * 2048;

// --- SHARP --------------------------------------------------------------------------------------------------------

struct SharpTree {
    int height = 1;  // switches between a host and the root, the root included
    Duration switch_latency;
    Duration link_latency;      // one cable with its PHYs
    Duration nic_latency;       // host to wire, or wire to host
    Duration aggregation;       // what the reduction adds, all switches together
    double link_bandwidth = 0;  // payload bytes per second of one host port
    double efficiency = 0.95;   // of it, reached by streaming aggregation
};

// Time of an all-reduce of `size` bytes per host in the network: up the tree and down again, nearly constant in the
// number of hosts; every byte crosses each host link once each way.
double sharp_all_reduce_seconds(const SharpTree& tree, Bytes size);

// Height of the tree that joins `hosts` through switches of `radix` ports, half of them down but at the root.
int tree_height(std::int64_t hosts, int radix);

}  // namespace fabricast::infiniband
