#pragma once
// Ethernet from 25 to 800 Gb/s carrying RoCE v2: header overhead, and the figures of priority flow control. Sources:
// IEEE 802.3 (frame, Annex 31B and 31D: PAUSE and PFC, response times), IEEE 802.1Qbb; IBTA Annex A17 (RoCE v2).

#include <cstdint>

#include "base/units.hpp"
#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast::inline models {

namespace roce {

// Bytes around the payload of one RoCE v2 packet.
inline constexpr Bytes preamble{8}, mac{14}, vlan_tag{4}, ipv4{20}, ipv6{40}, udp{8}, bth{12}, icrc{4}, fcs{4}, gap{12};

enum class Ip : std::uint8_t { v4, v6 };

struct Options {
    Ip ip = Ip::v4;
    bool vlan = false;  // the tag that carries the priority, if PFC uses the PCP field
};

constexpr Bytes packet_overhead(Options options = {}) {
    return preamble + mac + (options.vlan ? vlan_tag : Bytes{}) + (options.ip == Ip::v4 ? ipv4 : ipv6) + udp + bth +
           icrc + fcs + gap;
}

static_assert(packet_overhead() == Bytes{82});
static_assert(packet_overhead({Ip::v4, true}) == Bytes{86});
static_assert(packet_overhead({Ip::v6, false}) == Bytes{102});

// The address of an RDMA write (RETH, 16 B), once a message, is left out.
constexpr Framing framing(Bytes mtu, Options options = {}) {
    return {.payload = mtu, .header = packet_overhead(options)};
}

}  // namespace roce

// `ip: v4|v6` and `vlan: yes|no` of a part; v4 and no tag by default. Throws CatalogError for any other word.
roce::Options roce_options(const Part& part);

namespace pfc {

inline constexpr std::int64_t quantum_bits = 512;
inline constexpr Bytes frame{84};  // 64 B with preamble and gap

// Quanta that a station may take to stop sending after it receives PAUSE (802.3 Annex 31B.3.7, 31D.3.7): 60 at 10 Gb/s
// ... 905 at 400 Gb/s. Scaled with the rate above 400 Gb/s.
std::int64_t response_quanta(Rate rate);

// Dynamic threshold of a shared buffer (Choudhury and Hahne, ToN 1998): what a queue may hold when `used` is occupied.
constexpr double dynamic_threshold(double alpha, Bytes shared, Bytes used) {
    return alpha * static_cast<double>((shared - used).count);
}

}  // namespace pfc

}  // namespace fabricast::inline models
