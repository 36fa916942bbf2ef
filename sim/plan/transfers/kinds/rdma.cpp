// Adapters that read one end's memory and write the other's.

#include "sim/plan/transfers/network.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline transfers::transports {

// RDMA between host memories.
PathAttempt host_rdma(const PathRequest& r) {
    if (!is_host(r.fabric, r.from) || !is_host(r.fabric, r.to)) { return Refusal{"an end is not host memory"}; }
    if (const auto why = no_rdma(r)) { return Refusal{*why}; }
    return rdma_path(r);
}

// One adapter reads a GPU's memory, another one writes the other GPU's: no copies, and a core only posts.
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

// GPUDirect Async: threads of the GPU write the adapter's work requests and ring its doorbell (IBGDA). No core is
// involved; one message starts later than from a core, but thousands of threads can post more messages.
PathAttempt gpu_initiated(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from)) { return Refusal{"no GPU initiates this"}; }
    if (const auto why = no_gpu_rdma(r)) { return Refusal{*why}; }
    DataPath path = rdma_path(r);
    path.latency.push_back(r.figures.latency("a GPU thread builds the request and rings", "gpu-initiated", "build"));
    return path;
}

// RDMA between pinned host buffers, with copy engines between them and the GPUs.
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

namespace {

std::optional<DeviceId> gpu_on_rail(const PathRequest& r, std::uint16_t nic) {
    const std::uint32_t first = r.fabric.node_of(r.from) * r.fabric.gpus_per_node();
    for (std::uint32_t local = 0; local < r.fabric.gpus_per_node(); ++local) {
        if (r.fabric.nearest_nic(r.fabric.gpu(first + local)) == nic) { return r.fabric.gpu(first + local); }
    }
    return std::nullopt;
}

}  // namespace

// PXN: bytes go over NVLink to the GPU next to the adapter of the receiver's rail, and from there on that rail only:
// they cross no spine and need no far adapter (NVIDIA, Doubling all2all performance with NCCL 2.12).
PathAttempt pxn_rdma(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from) || !is_gpu(r.fabric, r.to) || same_node(r)) {
        return Refusal{"it is for GPUs of two nodes"};
    }
    if (const auto why = no_gpu_rdma(r)) { return Refusal{*why}; }
    const std::uint16_t own = r.fabric.nearest_nic(r.from);
    const std::uint16_t theirs = r.fabric.nearest_nic(r.to);
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
