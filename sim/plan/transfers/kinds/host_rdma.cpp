// RDMA between host memories.

#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt host_rdma(const PathRequest& r) {
    if (!is_host(r.fabric, r.from) || !is_host(r.fabric, r.to)) { return Refusal{"an end is not host memory"}; }
    if (const auto why = no_rdma(r)) { return Refusal{*why}; }
    return rdma_path(r);
}

}  // namespace fabricast::inline transfers::transports
