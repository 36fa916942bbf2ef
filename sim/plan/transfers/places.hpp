#pragma once
// What transports ask of a machine: which devices are ends, what joins them, which memory stands beside them, how fast
// DMA reads come back.

#include <optional>
#include <string>
#include <string_view>

#include "models/device_part.hpp"
#include "sim/plan/transfers/data_path.hpp"

namespace fabricast {

bool is_gpu(const Fabric& fabric, DeviceId device);
bool is_host(const Fabric& fabric, DeviceId device);  // host memory
bool same_node(const PathRequest& request);
// The path, where there is one.
std::optional<Path> path_between(const Fabric& fabric, const PathQuery& query);
PathQuery query(DeviceId from, DeviceId to, PathKind kind = PathKind::automatic);

// Host memory of the device's node: the nearest or, `far`, the farthest. Memory itself is its own. Nothing where the
// template draws no memory.
std::optional<DeviceId> memory_beside(const Fabric& fabric, DeviceId device, NumaPlace place);
// The adapter, by its index in the node, that this end's traffic takes: the nearest (of a GPU that which NCCL gives it)
// or the farthest; an adapter is its own. Precondition: the node has one.
std::uint16_t adapter_of(const Fabric& fabric, DeviceId device, NumaPlace place);
bool has_farther_adapter(const Fabric& fabric, DeviceId device);
// The CPU of a host memory.
std::optional<DeviceId> cpu_of(const Fabric& fabric, DeviceId memory);
const Part* cpu_part(const PathRequest& request);

// Host bridges (CPUs) that a path passes.
int bridges(const Fabric& fabric, const Path& path);
bool passes(const Fabric& fabric, const Path& path, DeviceKind kind);
double narrowest(const Fabric& fabric, const Path& path);  // payload bytes per second
bool has_class(const Fabric& fabric, const Path& path, LinkClass cls);

// Payload of a DMA engine that reads over the path's PCIe links: completions of the figure's size instead of the
// writes that the links are rated for. Infinite where no PCIe is crossed.
double read_rate(const PathRequest& request, const Path& path);

// How a path's legs follow each other: piece by piece, `piece` and `slots` of the part.
void cut_into_pieces(const PathRequest& request, std::string_view part, DataPath& path);

// What the fabric's link speaks: "infiniband", "ethernet", ...; empty for one node.
std::string fabric_family(const PathRequest& request);
std::string name_of(const PathRequest& request, DeviceId device);

}  // namespace fabricast
