// GPUDirect Async: threads of the GPU write the adapter's work requests and ring its doorbell (IBGDA). No core is
// involved; one message starts later than from a core, but thousands of threads can post more messages.

#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt gpu_initiated(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from)) { return Refusal{"no GPU initiates this"}; }
    if (const auto why = no_gpu_rdma(r)) { return Refusal{*why}; }
    DataPath path = rdma_path(r);
    path.latency.push_back(r.figures.latency("a GPU thread builds the request and rings", "gpu-initiated", "build"));
    return path;
}

}  // namespace fabricast::inline transfers::transports
