// The kernel's TCP over InfiniBand: IPoIB datagrams (RFC 4391) or, with an MTU above 4092 B, connected mode (RFC 4755).

#include "sim/plan/transfers/network.hpp"

namespace fabricast::transports {

PathAttempt ipoib(const PathRequest& r) {
    if (fabric_family(r) != "infiniband" || same_node(r)) {
        return Refusal{"the fabric is not InfiniBand"};
    }
    if (const auto why = no_adapter(r)) {
        return Refusal{*why};
    }
    const auto ends = host_ends(r);
    if (!ends) {
        return Refusal{"the node template draws no host memory"};
    }
    constexpr double datagram_frame = 38;  // LRH 8, BTH 12, DETH 8, ICRC 4, VCRC 2, encapsulation 4 (IBTA 9, RFC 4391)
    DataPath path = kernel_stack(r, *ends, "ipoib", datagram_frame);
    add_gpu_staging(r, path);
    return path;
}

}  // namespace fabricast::transports
