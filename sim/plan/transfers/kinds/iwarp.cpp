// RDMA over TCP in the adapter (iWARP, RFC 5040 to 5044): verbs as on InfiniBand, TCP segments on the wire.

#include <algorithm>

#include "base/text.hpp"
#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt iwarp(const PathRequest& r) {
    const Part& nic = r.figures.part(r.fabric.node().nic_part.empty() ? "iwarp" : r.fabric.node().nic_part);
    if (!has_word(nic.word_or("speaks", ""), "iwarp")) { return Refusal{"the adapter speaks no iWARP"}; }
    if (const auto why = no_rdma(r)) { return Refusal{*why}; }
    const auto ends = host_ends(r);
    const bool gpus = is_gpu(r.fabric, r.from) || is_gpu(r.fabric, r.to);
    if (!ends || (gpus && !r.host.peer_memory)) { return Refusal{"adapters cannot register this memory"}; }
    DataPath path = rdma_path(r);
    constexpr double frame = 38;         // Ethernet's, as in kernel_tcp.cpp
    constexpr double headers = 40 + 20;  // IPv4 and TCP 40; MPA, DDP and RDMAP with CRC 20
    const double payload = segment_payload(r, "kernel-tcp", headers);
    const FabricSpec& fabric = r.fabric.cluster().fabric;
    const double share = static_cast<double>(fabric.link.framing.payload.count) /
                         static_cast<double>((fabric.link.framing.payload + fabric.link.framing.header).count);
    path.legs.front().wire_ratio = std::max(1.0, share * (payload + headers + frame) / payload);
    path.latency.push_back(r.figures.latency("TCP in the adapters", "iwarp", "offload"));
    return path;
}

}  // namespace fabricast::inline transfers::transports
