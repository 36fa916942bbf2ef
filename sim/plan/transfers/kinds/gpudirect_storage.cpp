// GPUDirect Storage: the drive's DMA, or over the network an adapter's, accesses GPU memory directly, with no bounce
// through the host.

#include "sim/plan/transfers/network.hpp"
#include "sim/plan/transfers/storage.hpp"

namespace fabricast::transports {

PathAttempt gpudirect_storage(const PathRequest& r) {
    const auto end = drive_end(r);
    if (!end || !is_gpu(r.fabric, end->other)) {
        return Refusal{"this is between a drive and a GPU"};
    }
    if (!r.fabric.node().gpu_direct || !r.host.peer_memory) {
        return Refusal{"drives and adapters cannot reach GPU memory here (nvidia-fs needs peer memory)"};
    }
    if (r.host.acs && !r.host.ats) {
        return Refusal{"ACS is on: peer traffic goes through the root port, and cuFile falls back to a bounce buffer"};
    }
    DataPath path;
    if (same_node(r)) {
        Leg leg{
            .what = "DMA of " + name_of(r, end->drive) + (end->reads ? " writes " : " reads ") + name_of(r, end->other),
            .paths = {query(r.from, r.to)}};
        add_drive(r, *end, path, leg);
        path.legs = {leg};
    } else {
        if (const auto why = no_rdma(r)) {
            return Refusal{*why};
        }
        // NVMe over fabrics: the target's memory is between its drive and its adapter.
        const auto memory = memory_beside(r.fabric, end->drive, r.host.numa);
        if (!memory) {
            return Refusal{"the target draws no host memory"};
        }
        Leg drive{.what = "DMA of " + name_of(r, end->drive) + " and the target's memory",
                  .paths = {end->reads ? query(end->drive, *memory) : query(*memory, end->drive)}};
        add_drive(r, *end, path, drive);
        const Leg wire = end->reads ? rdma_leg(r, *memory, end->other, true) : rdma_leg(r, end->other, *memory, true);
        path.legs = end->reads ? std::vector<Leg>{drive, wire} : std::vector<Leg>{wire, drive};
        cut_into_pieces(r, "gpudirect-storage", path);
    }
    return path;
}

}  // namespace fabricast::transports
