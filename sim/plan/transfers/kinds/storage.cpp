// Drives: with and without a bounce through the host.

#include <algorithm>

#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

// GPUDirect Storage: the drive's DMA, or over the network an adapter's, accesses GPU memory directly.
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

// POSIX reads and writes: drive and host memory (the page cache), a copy by a core, a copy engine to or from the GPU.
PathAttempt storage_bounce(const PathRequest& r) {
    const auto end = drive_end(r);
    if (!end) { return Refusal{"neither end is a drive"}; }
    const auto memory = memory_beside(r.fabric, end->drive, r.host.numa);
    const auto near = memory_beside(r.fabric, end->other, r.host.numa);
    if (!memory || !near) { return Refusal{"the node draws no host memory"}; }
    DataPath path;
    const auto turn = [&](DeviceId a, DeviceId b) { return end->reads ? query(a, b) : query(b, a); };
    Leg drive{.what = "DMA of " + name_of(r, end->drive) + " and the page cache", .paths = {turn(end->drive, *memory)}};
    add_drive(r, *end, path, drive);
    std::vector<Leg> legs = {drive};
    if (!same_node(r)) { legs.push_back(end->reads ? rdma_leg(r, *memory, *near) : rdma_leg(r, *near, *memory)); }
    const double rate = r.figures.number("local-copy", "core_rate");
    legs.push_back(core_copy(r, *near, "core copies between the page cache and user memory", rate * r.host.cores,
                             "cores that copy"));
    if (is_gpu(r.fabric, end->other)) {
        const PathQuery way = turn(*near, end->other);
        legs.push_back(copy_engine(r, way.src, way.dst, ""));
        legs.back().what = "copy engine of " + name_of(r, end->other);
    }
    if (!end->reads) { std::reverse(legs.begin(), legs.end()); }
    path.legs = std::move(legs);
    cut_into_pieces(r, "gpudirect-storage", path);
    path.work = {{end->reads, "copies the page cache", {}, 1 / rate}};
    return path;
}

}  // namespace fabricast::inline transfers::transports
