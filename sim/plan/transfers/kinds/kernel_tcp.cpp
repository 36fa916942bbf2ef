// The kernel's TCP over Ethernet, or a network that carries Ethernet frames: copies, packets, interrupts, cores.

#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt kernel_tcp(const PathRequest& r) {
    const std::string family = fabric_family(r);
    if (family.empty() || same_node(r)) { return Refusal{"no network between the ends"}; }
    if (family == "infiniband") { return Refusal{"the fabric is InfiniBand: IP goes over IPoIB"}; }
    constexpr double ethernet_frame = 38;  // preamble 8, MAC 14, FCS 4, gap 12 (IEEE 802.3)
    return kernel_stack(r, "kernel-tcp", ethernet_frame);
}

}  // namespace fabricast::inline transfers::transports
