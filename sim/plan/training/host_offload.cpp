#include "sim/plan/training/host_offload.hpp"

#include <cmath>

#include "sim/plan/collectives/plan.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline training {

namespace {

DeviceId nearest_memory(const Fabric& fabric, DeviceId gpu) {
    const auto memory = memory_beside(fabric, gpu, NumaPlace::near);
    if (!memory) { throw PlanError("no host memory is in the nodes to offload to", "workload.offload"); }
    return *memory;
}

}  // namespace

HostMemory host_memory_of(const Fabric& fabric, DeviceId gpu) {
    HostMemory out{.device = nearest_memory(fabric, gpu)};
    const Path path = fabric.path({.src = gpu, .dst = out.device});
    for (const LinkId link : path.span()) {
        if (fabric.link(link).cls == LinkClass::host_memory) { out.bandwidth = fabric.link(link).capacity; }
    }
    const std::uint32_t first = fabric.node_of(gpu) * fabric.gpus_per_node();
    for (std::uint32_t rank = first; rank < first + fabric.gpus_per_node(); ++rank) {
        out.gpus += nearest_memory(fabric, fabric.gpu(rank)) == out.device ? 1 : 0;
    }
    return out;
}

std::vector<OpId> add_host_copies(Schedule& schedule, const Fabric& fabric, std::uint32_t first, std::uint32_t last,
                                  double bytes, bool to_host, std::span<const Schedule::Dependency> after) {
    std::vector<OpId> ends;
    for (std::uint32_t rank = first; rank < last; ++rank) {
        const DeviceId gpu = fabric.gpu(rank), host = nearest_memory(fabric, gpu);
        const auto connection = static_cast<std::uint32_t>(schedule.connections.size());
        schedule.connections.push_back({.path = {.src = to_host ? gpu : host, .dst = to_host ? host : gpu}});
        ends.push_back(schedule.add(Transfer{connection, Bytes{std::llround(bytes)}, {}}, after));
    }
    return ends;
}

}  // namespace fabricast::inline training
