// A copy engine, or a kernel's stores, over NVLink into the other GPU's memory.

#include <fmt/format.h>

#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt nvlink_p2p(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from) || !is_gpu(r.fabric, r.to)) { return Refusal{"NVLink peer to peer is between GPUs"}; }
    if (!same_node(r)) { return Refusal{"the GPUs stand in different nodes"}; }
    const PathQuery over = query(r.from, r.to, PathKind::nvlink);
    const auto found = path_between(r.fabric, over);
    if (!found || found->count == 0) {
        return Refusal{"no NVLink joins " + name_of(r, r.from) + " and " + name_of(r, r.to)};
    }
    if (passes(r.fabric, *found, DeviceKind::gpu)) {
        return Refusal{"NVLink joins " + name_of(r, r.from) + " and " + name_of(r, r.to) +
                       " only through a third GPU, and copies are not forwarded"};
    }
    if (r.host.virtualised && !r.host.p2p_clique && r.fabric.node().nvlink == NvlinkShape::mesh) {
        return Refusal{"the guest sees a flat topology: without the P2P clique capability the driver allows no peers"};
    }
    const bool reads = r.operation == TransferOperation::read;
    return DataPath{
        .legs = {{.what = fmt::format("copy engine of {} {} {} over NVLink", name_of(r, reads ? r.to : r.from),
                                      reads ? "reads" : "writes", name_of(r, reads ? r.from : r.to)),
                  .paths = {over},
                  .wire_ratio = reads ? r.figures.number("nvlink-p2p", "read.wire") : 1}}};
}

}  // namespace fabricast::inline transfers::transports
