#pragma once
// What transports over the network share: verbs, registration, the kernel's stack.

#include <optional>
#include <string>
#include <string_view>

#include "sim/plan/transfers/places.hpp"

namespace fabricast {

// Why no adapter can be taken as the host's conditions ask; nothing where one can.
std::optional<std::string> no_adapter(const PathRequest& request);

// Why RDMA between these nodes is refused; nothing where it is not.
std::optional<std::string> no_rdma(const PathRequest& request);

// An adapter reads `from`, another writes `to`.
Leg rdma_leg(const PathRequest& request, DeviceId from, DeviceId to, bool gpu_direct);

// Terms and work of an RDMA message: GPU memory behind apertures, registration of buffers without a cache, reads.
void add_rdma_costs(const PathRequest& request, DataPath& path);

// Staging of GPU memory in front of and behind what moves between host memories.
void add_gpu_staging(const PathRequest& request, DataPath& path);

// Payload of a packet of the kernel's stack or of TCP in an adapter: `mtu` of `part` unless the host sets another, less
// `headers`, and no more than the host's MSS.
double segment_payload(const PathRequest& request, std::string_view part, double headers);

// Host memories that a network transport starts from and ends in: the ends themselves or what stands beside them.
struct HostEnds {
    DeviceId from{}, to{};
};
std::optional<HostEnds> host_ends(const PathRequest& request);

// The kernel's stack with the MTU of `part`: the headers on the wire of each packet (`frame_header` below IP), copies
// by cores.
DataPath kernel_stack(const PathRequest& request, const HostEnds& ends, std::string_view part, double frame_header);

}  // namespace fabricast
