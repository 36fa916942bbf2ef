#pragma once
// What each port does with packets: flow control, buffers, marks.

#include "sim/engines/packet/network.hpp"

namespace fabricast::packet {

// Sets flow control, buffers and marks of every port. Precondition: all ports exist.
void set_policies(Network& net, const Fabric& fabric, const Packet& options, const Lanes& lanes);

// Bytes that a PFC port must still take after it decided to pause: the formula of models/ethernet.hpp, with the
// latencies of both directions in place of the cable's length.
std::int64_t pfc_headroom(double bytes_per_ps, Ps both_latencies, Ps reaction, std::int64_t mtu);

}  // namespace fabricast::packet
