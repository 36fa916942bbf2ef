// POSIX reads and writes: the drive and host memory (the page cache), a copy by a core, and a copy engine to or from
// the GPU.

#include <algorithm>

#include "sim/plan/transfers/network.hpp"
#include "sim/plan/transfers/storage.hpp"

namespace fabricast::transports {

PathAttempt storage_bounce(const PathRequest& r) {
    const auto end = drive_end(r);
    if (!end) {
        return Refusal{"neither end is a drive"};
    }
    const auto memory = memory_beside(r.fabric, end->drive, r.host.numa);
    const auto near = memory_beside(r.fabric, end->other, r.host.numa);
    if (!memory || !near) {
        return Refusal{"the node draws no host memory"};
    }
    DataPath path;
    const auto turn = [&](DeviceId a, DeviceId b) { return end->reads ? query(a, b) : query(b, a); };
    Leg drive{.what = "DMA of " + name_of(r, end->drive) + " and the page cache", .paths = {turn(end->drive, *memory)}};
    add_drive(r, *end, path, drive);
    std::vector<Leg> legs = {drive};
    if (!same_node(r)) {
        legs.push_back(end->reads ? rdma_leg(r, *memory, *near, true) : rdma_leg(r, *near, *memory, true));
    }
    const DeviceId cpu = *cpu_of(r.fabric, *near);
    legs.push_back({.what = "core copies between the page cache and user memory",
                    .paths = {query(*near, cpu), query(cpu, *near)},
                    .rate_cap = r.figures.number("local-copy", "core_rate") * r.host.cores,
                    .cap = "cores that copy",
                    .dma = false});
    if (is_gpu(r.fabric, end->other)) {
        Leg engine{.what = "copy engine of " + name_of(r, end->other), .paths = {turn(*near, end->other)}};
        if (end->reads) {
            engine.rate_cap = read_rate(r, r.fabric.path(engine.paths.front()));
            engine.cap = "completions of DMA reads";
        }
        legs.push_back(engine);
    }
    if (!end->reads) {
        std::reverse(legs.begin(), legs.end());
    }
    path.legs = std::move(legs);
    cut_into_pieces(r, "gpudirect-storage", path);
    path.work = {{end->reads, "copies the page cache", {}, 1 / r.figures.number("local-copy", "core_rate")}};
    return path;
}

}  // namespace fabricast::transports
