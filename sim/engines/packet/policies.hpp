#pragma once
// What each port does with packets: flow control, buffers, marks.

#include "sim/engines/packet/network.hpp"

namespace fabricast::packet {

// Flow control, buffers and marks of every port, once all stand.
void set_policies(Network& net, const Fabric& fabric, const Packet& options, const Lanes& lanes);

// Bytes that a PFC port must still take after it decided to pause: models/ethernet.hpp's formula, the cable's length
// taken from the latencies of both directions.
std::int64_t pfc_headroom(double bytes_per_ps, Ps both_latencies, Ps reaction, std::int64_t mtu);

}  // namespace fabricast::packet
