// GPUDirect Async: threads of the GPU build the adapter's work and ring its doorbell (IBGDA). No core works at all; one
// message starts later than a core's, thousands of threads post more.

#include "sim/plan/transfers/network.hpp"

namespace fabricast::transports {

PathAttempt gpu_initiated(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from)) {
        return Refusal{"no GPU initiates this"};
    }
    PathAttempt direct = [&]() -> PathAttempt {
        if (const auto why = no_rdma(r)) {
            return Refusal{*why};
        }
        if (!r.host.peer_memory || !r.fabric.node().gpu_direct) {
            return Refusal{"adapters cannot reach GPU memory here"};
        }
        DataPath path;
        path.legs = {rdma_leg(r, r.from, r.to, true)};
        add_rdma_costs(r, path);
        return path;
    }();
    if (direct.path) {
        direct.path->latency.push_back(
            r.figures.latency("a GPU thread builds the request and rings", "gpu-initiated", "build"));
    }
    return direct;
}

}  // namespace fabricast::transports
