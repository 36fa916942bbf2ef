#pragma once
// What each port does with packets: flow control, buffers, marks.

#include "sim/engines/packet/network.hpp"

namespace fabricast::inline packet {

// Sets flow control, buffers and marks of every port. Precondition: all ports exist.
void set_policies(Network& net, const Fabric& fabric, const Packet& options, const Lanes& lanes);

}  // namespace fabricast::inline packet
