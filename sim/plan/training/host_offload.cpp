#include "sim/plan/training/host_offload.hpp"

#include <cmath>
#include <optional>

#include "sim/plan/collectives/plan.hpp"

namespace fabricast::inline training {

namespace {

std::optional<Path> nearest(const Fabric& fabric, DeviceId gpu, DeviceId& memory) {
    std::optional<Path> best;
    const std::uint32_t node = fabric.wired_node_of(gpu);
    for (std::uint32_t d = fabric.first_device(node); d < fabric.first_device(node + 1); ++d) {
        if (fabric.kind(DeviceId{d}) != DeviceKind::host_memory) { continue; }
        const Path path = fabric.path({.src = gpu, .dst = DeviceId{d}});
        if (!best || path.latency < best->latency) {
            best = path;
            memory = DeviceId{d};
        }
    }
    return best;
}

}  // namespace

HostMemory host_memory_of(const Fabric& fabric, DeviceId gpu) {
    HostMemory out;
    const std::optional<Path> path = nearest(fabric, gpu, out.device);
    if (!path) { throw PlanError("no host memory is in the nodes to offload to", "workload.offload"); }
    for (const LinkId link : path->span()) {
        if (fabric.link(link).cls == LinkClass::host_memory) { out.bandwidth = fabric.link(link).capacity; }
    }
    const std::uint32_t node = fabric.node_of(gpu);
    for (std::uint32_t i = 0; i < fabric.gpus_per_node(); ++i) {
        DeviceId memory{};
        nearest(fabric, fabric.gpu(node * fabric.gpus_per_node() + i), memory);
        out.gpus += memory == out.device ? 1 : 0;
    }
    return out;
}

std::vector<OpId> add_host_copies(Schedule& schedule, const Fabric& fabric, std::uint32_t first, std::uint32_t last,
                                  double bytes, bool to_host, std::span<const Schedule::Dependency> after) {
    std::vector<OpId> ends;
    for (std::uint32_t rank = first; rank < last; ++rank) {
        const DeviceId gpu = fabric.gpu(rank), host = host_memory_of(fabric, gpu).device;
        const auto connection = static_cast<std::uint32_t>(schedule.connections.size());
        schedule.connections.push_back({.path = {.src = to_host ? gpu : host, .dst = to_host ? host : gpu}});
        ends.push_back(schedule.add(Transfer{connection, Bytes{std::llround(bytes)}, {}}, after));
    }
    return ends;
}

}  // namespace fabricast::inline training
