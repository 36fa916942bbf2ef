// GPUDirect Async: threads of the GPU write the adapter's work requests and ring its doorbell (IBGDA). No core is
// involved; one message starts later than from a core, but thousands of threads can post more messages.

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
