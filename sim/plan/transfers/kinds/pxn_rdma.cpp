// PXN: bytes go over NVLink to the GPU next to the adapter of the receiver's rail, and from there on that rail only:
// they cross no spine and need no far adapter (NVIDIA, Doubling all2all performance with NCCL 2.12).

#include "sim/plan/transfers/network.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline transfers::transports {

namespace {

std::optional<DeviceId> gpu_on_rail(const PathRequest& r, std::uint16_t nic) {
    const std::uint32_t first = r.fabric.node_of(r.from) * r.fabric.gpus_per_node();
    for (std::uint32_t local = 0; local < r.fabric.gpus_per_node(); ++local) {
        if (r.fabric.nearest_nic(local) == nic) { return r.fabric.gpu(first + local); }
    }
    return std::nullopt;
}

}  // namespace

PathAttempt pxn_rdma(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from) || !is_gpu(r.fabric, r.to) || same_node(r)) {
        return Refusal{"it is for GPUs of two nodes"};
    }
    if (const auto why = no_gpu_rdma(r)) { return Refusal{*why}; }
    const std::uint16_t own = r.fabric.nearest_nic(r.fabric.local_index(r.from));
    const std::uint16_t theirs = r.fabric.nearest_nic(r.fabric.local_index(r.to));
    const auto proxy = gpu_on_rail(r, Trays(r.fabric.node()).on_rail_of(own, theirs));
    if (!proxy || *proxy == r.from) {
        return Refusal{proxy ? name_of(r, r.from) + " is on the receiver's rail already" : "no GPU is on that rail"};
    }
    const PathQuery inside = query(r.from, *proxy, PathKind::nvlink);
    if (const auto found = path_between(r.fabric, inside); !found || found->count == 0) {
        return Refusal{"no NVLink joins " + name_of(r, r.from) + " and " + name_of(r, *proxy)};
    }
    DataPath path;
    cut_into_pieces(r, "pxn-rdma", path);
    path.legs = {{.what = "a kernel of " + name_of(r, r.from) + " writes " + name_of(r, *proxy) + " over NVLink",
                  .paths = {inside}},
                 rdma_leg(r, *proxy, r.to)};
    add_rdma_costs(r, path);
    return path;
}

}  // namespace fabricast::inline transfers::transports
