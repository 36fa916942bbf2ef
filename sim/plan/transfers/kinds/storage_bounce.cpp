// POSIX reads and writes: the drive and host memory (the page cache), a copy by a core, and a copy engine to or from
// the GPU.

#include <algorithm>

#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

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
