// RDMA between pinned host buffers, with copy engines between them and the GPUs.

#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt staged_rdma(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from) && !is_gpu(r.fabric, r.to)) {
        return Refusal{"neither end is a GPU: nothing to stage"};
    }
    if (same_node(r)) { return Refusal{"both ends stand in one node"}; }
    PathRequest buffers = r;
    buffers.bytes = rounded_bytes(r.figures.number("staged-rdma", "piece") * r.figures.number("staged-rdma", "slots"));
    if (const auto why = no_rdma(buffers)) { return Refusal{*why}; }
    const auto ends = host_ends(r);
    if (!ends) { return Refusal{"the node template draws no host memory to stage through"}; }
    DataPath path{.legs = {rdma_leg(r, ends->from, ends->to)}};
    add_gpu_staging(r, path);
    return path;
}

}  // namespace fabricast::inline transfers::transports
