#pragma once
// What the network transports share: verbs, registration, the kernel's stack.

#include <optional>
#include <string>
#include <string_view>

#include "sim/plan/transfers/places.hpp"

namespace fabricast {

// Why there is no adapter as the host's conditions ask; empty if there is one.
std::optional<std::string> no_adapter(const PathRequest& request);

// Why RDMA between these nodes is refused; empty if it is not.
std::optional<std::string> no_rdma(const PathRequest& request);

// One adapter reads `from`, another one writes `to`.
Leg rdma_leg(const PathRequest& request, DeviceId from, DeviceId to, bool gpu_direct);

// Adds the latency terms and work of an RDMA message: GPU memory behind an aperture, address translation, read
// requests, registration of buffers without a cache.
void add_rdma_costs(const PathRequest& request, DataPath& path);

// Adds the staging of GPU memory before and after the legs between host memories.
void add_gpu_staging(const PathRequest& request, DataPath& path);

// Payload bytes of one packet, for the kernel's stack or for TCP in an adapter: the MTU (`mtu` of `part` unless the
// host sets another) less `headers`, and no more than the host's MSS.
double segment_payload(const PathRequest& request, std::string_view part, double headers);

// Host memories where a network transport starts and ends: the ends themselves or the memories next to them.
struct HostEnds {
    DeviceId from{}, to{};
};
std::optional<HostEnds> host_ends(const PathRequest& request);

// The data path of the kernel's stack with the MTU of `part`: headers on the wire for each packet (`frame_header` bytes
// below IP), copies by cores.
DataPath kernel_stack(const PathRequest& request, const HostEnds& ends, std::string_view part, double frame_header);

}  // namespace fabricast
