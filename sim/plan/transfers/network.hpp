#pragma once
// What the network transports share: adapters, verbs, registration, staging.

#include <optional>
#include <string>

#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers {

// Why there is no adapter as the host's conditions ask; empty if there is one.
std::optional<std::string> no_adapter(const PathRequest& request);

// Why RDMA between these nodes is refused; empty if it is not.
std::optional<std::string> no_rdma(const PathRequest& request);

// The same for RDMA of GPU memory.
std::optional<std::string> no_gpu_rdma(const PathRequest& request);

// The way between the adapters that the two ends use.
PathQuery between_adapters(const PathRequest& request, DeviceId from, DeviceId to);

// One adapter reads `from`, another one writes `to`.
Leg rdma_leg(const PathRequest& request, DeviceId from, DeviceId to);

// Adds the latency terms and work of an RDMA message: GPU memory behind an aperture, address translation, read
// requests, registration of buffers without a cache.
void add_rdma_costs(const PathRequest& request, DataPath& path);

// One adapter reads the request's `from`, another one writes its `to`, with these costs.
DataPath rdma_path(const PathRequest& request);

// Adds the staging of GPU memory before and after the legs between host memories.
void add_gpu_staging(const PathRequest& request, DataPath& path);

// Host memories where a network transport starts and ends: the ends themselves or the memories next to them.
struct HostEnds {
    DeviceId from{}, to{};
};
std::optional<HostEnds> host_ends(const PathRequest& request);

}  // namespace fabricast::inline transfers
