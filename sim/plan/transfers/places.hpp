#pragma once
// What transports need to know of a machine: the kind of a device, the path between two devices, the memory and adapter
// next to a device; and the legs that they share: copy engines, cores, drives ("node0.nvme3").

#include <optional>
#include <string>
#include <string_view>

#include "models/device_part.hpp"
#include "sim/plan/collectives/path_rules.hpp"
#include "sim/plan/transfers/data_path.hpp"

namespace fabricast::inline transfers {

bool is_gpu(const Fabric& fabric, DeviceId device);
bool is_host(const Fabric& fabric, DeviceId device);  // host memory
bool same_node(const PathRequest& request);
// The path; empty if there is none.
std::optional<Path> path_between(const Fabric& fabric, const PathQuery& query);
PathQuery query(DeviceId from, DeviceId to, PathKind kind = PathKind::automatic);

// Host memory of the device's node: the nearest or, for `far`, the farthest. For host memory it is the memory itself.
// Empty if the node template has no memory.
std::optional<DeviceId> memory_beside(const Fabric& fabric, DeviceId device, NumaPlace place);
// The adapter, by its index in the node, that this end's traffic takes: the nearest (for a GPU the one that NCCL
// assigns to it) or the farthest; for an adapter it is the adapter itself. Precondition: the node has an adapter.
std::uint16_t adapter_of(const Fabric& fabric, DeviceId device, NumaPlace place);
bool has_farther_adapter(const Fabric& fabric, DeviceId device);
// The CPU that a host memory belongs to.
std::optional<DeviceId> cpu_of(const Fabric& fabric, DeviceId memory);
const Part* cpu_part(const PathRequest& request);
// Rate at which the CPU's host bridge forwards peer traffic; infinite if only the links limit it.
double peer_limit(const CpuSpec& cpu, bool reads);

// Number of host bridges (CPUs) that a path passes.
int bridges(const Fabric& fabric, const Path& path);
bool passes(const Fabric& fabric, const Path& path, DeviceKind kind);
bool has_class(const Fabric& fabric, const Path& path, LinkClass cls);

// Lets a path's legs pass on pieces, with the figures `piece` and `slots` of `part`.
void cut_into_pieces(const PathRequest& request, std::string_view part, DataPath& path);

std::string name_of(const PathRequest& request, DeviceId device);

// The copy engine of the GPU at one end reads host memory, called `memory`, at the other end, or writes it.
Leg copy_engine(const PathRequest& request, DeviceId from, DeviceId to, std::string_view memory);
// A core copies at `rate`: each byte goes from the memory to the core and back.
Leg core_copy(const PathRequest& request, DeviceId memory, std::string what, double rate, std::string why);
// Adds what the IOMMU's translation of an address takes, if the host's conditions ask for it.
void add_translation(const PathRequest& request, DataPath& path);

bool is_drive(const PathRequest& request, DeviceId device);

// The end that is a drive, and whether bytes are read from it. Empty if neither end is a drive or both are.
struct DriveEnd {
    DeviceId drive{}, other{};
    bool reads = true;
};
std::optional<DriveEnd> drive_end(const PathRequest& request);

// Limits a leg to the drive's rate and adds its access time.
void add_drive(const PathRequest& request, const DriveEnd& end, DataPath& path, Leg& leg);

}  // namespace fabricast::inline transfers
