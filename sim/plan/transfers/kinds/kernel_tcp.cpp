// The kernel's TCP over Ethernet, or a network that carries Ethernet frames: copies, packets, interrupts, cores.

#include "sim/plan/transfers/network.hpp"

namespace fabricast::transports {

PathAttempt kernel_tcp(const PathRequest& r) {
    const std::string family = fabric_family(r);
    if (family.empty() || same_node(r)) {
        return Refusal{"no network between the ends"};
    }
    if (family == "infiniband") {
        return Refusal{"the fabric is InfiniBand: IP goes over IPoIB"};
    }
    if (const auto why = no_adapter(r)) {
        return Refusal{*why};
    }
    const auto ends = host_ends(r);
    if (!ends) {
        return Refusal{"the node template draws no host memory"};
    }
    constexpr double ethernet_frame = 38;  // preamble 8, MAC 14, FCS 4, gap 12 (IEEE 802.3)
    DataPath path = kernel_stack(r, *ends, "kernel-tcp", ethernet_frame);
    add_gpu_staging(r, path);
    return path;
}

}  // namespace fabricast::transports
