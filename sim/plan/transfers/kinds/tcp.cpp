// TCP: the kernel's over Ethernet and over InfiniBand, and in the adapter.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "sim/plan/transfers/network.hpp"

namespace fabricast::inline transfers::transports {

namespace {

constexpr std::string_view kernel = "kernel-tcp";
constexpr double ethernet_frame = 38;  // preamble 8, MAC 14, FCS 4, gap 12 (IEEE 802.3)

// The family of the fabric's link: "infiniband", "ethernet", ...; empty if there is no network.
std::string fabric_family(const PathRequest& r) {
    const FabricSpec& spec = r.fabric.cluster().fabric;
    if (spec.kind == FabricKind::none) { return ""; }
    const Part* link = r.figures.catalog().find(spec.link.name);
    return link == nullptr ? "" : link->word_or("family", "");
}

// Share of payload in the bytes that the link is rated for.
double link_share(const PathRequest& r) {
    const Framing& framing = r.fabric.cluster().fabric.link.framing;
    return static_cast<double>(framing.payload.count) / static_cast<double>((framing.payload + framing.header).count);
}

// Payload bytes of one packet, for the kernel's stack or for TCP in an adapter: the MTU (`mtu` of `part` unless the
// host sets another) less `headers`, and no more than the host's MSS.
double segment_payload(const PathRequest& r, std::string_view part, double headers) {
    const double mtu = r.host.mtu.count > 0 ? static_cast<double>(r.host.mtu.count) : r.figures.number(part, "mtu");
    const double room = mtu - headers;
    return r.host.mss.count > 0 ? std::min(room, static_cast<double>(r.host.mss.count)) : room;
}

// The kernel's stack with the MTU of `part`: headers on the wire for each packet (`frame_header` bytes below IP),
// copies by cores, staging of GPU memory. Refused where there is no adapter or no host memory.
PathAttempt kernel_stack(const PathRequest& r, std::string_view part, double frame_header) {
    if (const auto why = no_adapter(r)) { return Refusal{*why}; }
    const auto ends = host_ends(r);
    if (!ends) { return Refusal{"the node template draws no host memory"}; }
    constexpr double ip_tcp = 52;  // IPv4 20, TCP 20 and its timestamps 12
    const double payload = segment_payload(r, part, ip_tcp);
    const double packet = payload + ip_tcp;
    const double share = payload / (packet + frame_header);
    const double packets =
        r.host.offloads ? r.figures.number(kernel, "packet") : r.figures.number(kernel, "packet_bare");
    const double lanes = std::min(r.host.cores, r.host.qps);
    const auto core = [&](const char* figure) {
        return 1 / (r.figures.number(kernel, figure) + packets / payload);  // bytes per second of one core
    };
    DataPath path;
    path.piece = rounded_bytes(r.figures.number(kernel, "segment"));
    path.slots = static_cast<int>(r.figures.number(kernel, "segments"));
    path.legs = {core_copy(r, ends->from, "core copies user memory into the kernel's and cuts segments",
                           lanes * core("send_byte"), "sender's cores"),
                 {.what = fmt::format("adapter sends packets of {} B", std::lround(packet)),
                  .paths = {between_adapters(r, ends->from, ends->to)},
                  .wire_ratio = std::max(1.0, link_share(r) / share)},
                 core_copy(r, ends->to, "core takes packets and copies them into user memory",
                           lanes * core("receive_byte"), "receiver's cores")};
    path.latency = {r.figures.latency("system call and stack of the sender", kernel, "send"),
                    r.figures.latency("interrupt and stack of the receiver", kernel, "interrupt"),
                    r.figures.latency("the receiving thread wakes up", kernel, "wake")};
    if (static_cast<double>(r.host.mss.count) > payload) {
        path.notes.push_back(fmt::format("`host.mss` changes nothing: the MTU leaves {} B", std::lround(payload)));
    }
    if (const Duration held = r.host.interrupt_delay; held.ps > 0) {
        path.latency.push_back({"the adapter holds its interrupt back", held, held, held, "workload.host"});
    }
    path.work = {
        {false, "copies and cuts segments", from_seconds(r.figures.number(kernel, "send")), 1 / core("send_byte")},
        {true, "takes packets and copies", from_seconds(r.figures.number(kernel, "interrupt")),
         1 / core("receive_byte")}};
    add_gpu_staging(r, path);
    return path;
}

}  // namespace

// The kernel's TCP over Ethernet, or a network that carries Ethernet frames: copies, packets, interrupts, cores.
PathAttempt kernel_tcp(const PathRequest& r) {
    const std::string family = fabric_family(r);
    if (family.empty() || same_node(r)) { return Refusal{"no network between the ends"}; }
    if (family == "infiniband") { return Refusal{"the fabric is InfiniBand: IP goes over IPoIB"}; }
    return kernel_stack(r, kernel, ethernet_frame);
}

// The kernel's TCP over InfiniBand: IPoIB datagrams (RFC 4391) or, with an MTU above 4092 B, connected mode (RFC 4755).
PathAttempt ipoib(const PathRequest& r) {
    if (fabric_family(r) != "infiniband" || same_node(r)) { return Refusal{"the fabric is not InfiniBand"}; }
    constexpr double datagram_frame = 38;  // LRH 8, BTH 12, DETH 8, ICRC 4, VCRC 2, encapsulation 4 (IBTA 9, RFC 4391)
    return kernel_stack(r, "ipoib", datagram_frame);
}

// RDMA over TCP in the adapter (iWARP, RFC 5040 to 5044): verbs as on InfiniBand, TCP segments on the wire.
PathAttempt iwarp(const PathRequest& r) {
    const Part& nic = r.figures.part(r.fabric.node().nic_part.empty() ? "iwarp" : r.fabric.node().nic_part);
    if (!has_word(nic.word_or("speaks", ""), "iwarp")) { return Refusal{"the adapter speaks no iWARP"}; }
    if (const auto why = no_rdma(r)) { return Refusal{*why}; }
    const auto ends = host_ends(r);
    const bool gpus = is_gpu(r.fabric, r.from) || is_gpu(r.fabric, r.to);
    if (!ends || (gpus && !r.host.peer_memory)) { return Refusal{"adapters cannot register this memory"}; }
    DataPath path = rdma_path(r);
    constexpr double headers = 40 + 20;  // IPv4 and TCP 40; MPA, DDP and RDMAP with CRC 20
    const double payload = segment_payload(r, kernel, headers);
    path.legs.front().wire_ratio = std::max(1.0, link_share(r) * (payload + headers + ethernet_frame) / payload);
    path.latency.push_back(r.figures.latency("TCP in the adapters", "iwarp", "offload"));
    return path;
}

}  // namespace fabricast::inline transfers::transports
