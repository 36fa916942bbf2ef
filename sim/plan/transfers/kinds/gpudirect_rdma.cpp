// One adapter reads a GPU's memory, another one writes the other GPU's: no copies, and a core only posts.

#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt gpudirect_rdma(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from) && !is_gpu(r.fabric, r.to)) { return Refusal{"neither end is a GPU"}; }
    const auto end = [&](DeviceId d) { return is_gpu(r.fabric, d) || is_host(r.fabric, d); };
    if (!end(r.from) || !end(r.to) || r.from == r.to) { return Refusal{"adapters reach GPUs and host memory"}; }
    if (const auto why = no_rdma(r)) { return Refusal{*why}; }
    if (!r.host.peer_memory) {
        return Refusal{"neither nvidia_peermem nor dma-buf is there: adapters cannot register GPU memory"};
    }
    if (!r.fabric.node().gpu_direct) {
        return Refusal{"the node's adapters cannot reach GPU memory (`gpu_direct: false`)"};
    }
    if (r.host.virtualised && !r.host.ats && !r.host.p2p_clique) {
        return Refusal{"in a guest without ATS peer traffic of adapters goes to the IOMMU and is not enabled"};
    }
    DataPath path = rdma_path(r);
    if (r.host.acs && !r.host.ats) {
        // Each end's traffic goes up to its root port and down again.
        path.notes.emplace_back("ACS is on: peer traffic goes through the root port");
        for (const DeviceId gpu : {r.from, r.to}) {
            const auto memory = is_gpu(r.fabric, gpu) ? memory_beside(r.fabric, gpu, NumaPlace::near) : std::nullopt;
            if (memory) {
                const DeviceId cpu = *cpu_of(r.fabric, *memory);
                const bool sends = gpu == r.from;
                path.legs.front().paths.push_back(sends ? query(gpu, cpu) : query(cpu, gpu));
                path.legs.front().paths.push_back(sends ? query(cpu, gpu) : query(gpu, cpu));
            }
        }
    }
    return path;
}

}  // namespace fabricast::inline transfers::transports
