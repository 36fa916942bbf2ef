// The kernel's TCP over InfiniBand: IPoIB datagrams (RFC 4391) or, with an MTU above 4092 B, connected mode (RFC 4755).

#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt ipoib(const PathRequest& r) {
    if (fabric_family(r) != "infiniband" || same_node(r)) { return Refusal{"the fabric is not InfiniBand"}; }
    constexpr double datagram_frame = 38;  // LRH 8, BTH 12, DETH 8, ICRC 4, VCRC 2, encapsulation 4 (IBTA 9, RFC 4391)
    return kernel_stack(r, "ipoib", datagram_frame);
}

}  // namespace fabricast::inline transfers::transports
