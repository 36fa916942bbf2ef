#pragma once
// InfiniBand, SDR to XDR: packet overhead and link-level credits.
// Source: InfiniBand Architecture Specification Vol. 1 §5-§7, §9 (headers, credits).

#include "base/units.hpp"
#include "models/link.hpp"

namespace fabricast::inline models::infiniband {

// Header fields, IBTA Vol. 1 §7.7, §9.2-9.3 and §7.8.
inline constexpr Bytes lrh{8}, bth{12}, icrc{4}, vcrc{2};

// Bytes of a reliable-connection packet inside a subnet, in addition to its payload.
inline constexpr Bytes packet_overhead = lrh + bth + icrc + vcrc;

static_assert(packet_overhead == Bytes{26});

// MTU is one of 256, 512, 1024, 2048, 4096. The address of an RDMA write (RETH, 16 B), once a message, is left out.
constexpr Framing framing(Bytes mtu) { return {.payload = mtu, .header = packet_overhead}; }

// Credits count blocks of 64 B, at most 2048 per virtual lane (IBTA Vol. 1 §7.9.4).
inline constexpr Bytes credit_limit = Bytes{64} * 2048;

}  // namespace fabricast::inline models::infiniband
