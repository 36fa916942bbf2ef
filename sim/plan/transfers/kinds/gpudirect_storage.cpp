// GPUDirect Storage: the drive's DMA, or over the network an adapter's, accesses GPU memory directly, with no bounce
// through the host.

#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt gpudirect_storage(const PathRequest& r) {
    const auto end = drive_end(r);
    if (!end || !is_gpu(r.fabric, end->other)) { return Refusal{"this is between a drive and a GPU"}; }
    if (!r.fabric.node().gpu_direct || !r.host.peer_memory) {
        return Refusal{"drives and adapters cannot reach GPU memory here (nvidia-fs needs peer memory)"};
    }
    if (r.host.acs && !r.host.ats) {
        return Refusal{"ACS is on: peer traffic goes through the root port, and cuFile falls back to a bounce buffer"};
    }
    DataPath path;
    Leg drive{.what = "DMA of " + name_of(r, end->drive)};
    if (same_node(r)) {
        drive.what += (end->reads ? " writes " : " reads ") + name_of(r, end->other);
        drive.paths = {query(r.from, r.to)};
        add_drive(r, *end, path, drive);
        path.legs = {drive};
        return path;
    }
    if (const auto why = no_rdma(r)) { return Refusal{*why}; }
    // NVMe over fabrics: the target's memory is between its drive and its adapter.
    const auto memory = memory_beside(r.fabric, end->drive, r.host.numa);
    if (!memory) { return Refusal{"the target draws no host memory"}; }
    drive.what += " and the target's memory";
    drive.paths = {end->reads ? query(end->drive, *memory) : query(*memory, end->drive)};
    add_drive(r, *end, path, drive);
    path.legs = end->reads ? std::vector{drive, rdma_leg(r, *memory, end->other)}
                           : std::vector{rdma_leg(r, end->other, *memory), drive};
    cut_into_pieces(r, "gpudirect-storage", path);
    return path;
}

}  // namespace fabricast::inline transfers::transports
