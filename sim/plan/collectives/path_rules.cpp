#include "sim/plan/collectives/path_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/plan/collectives/costs.hpp"
#include "sim/plan/collectives/plan.hpp"

namespace fabricast::inline collectives {

namespace {

nccl::PeerLevel level_of(nccl::PciePath path) {
    return static_cast<nccl::PeerLevel>(static_cast<int>(nccl::PeerLevel::pix) + static_cast<int>(path));
}

// How far a NIC is from its nearest GPU, through which rings and trees leave the node. A GPU with NVLink to its
// processor is as near as through switches (PATH_P2C).
nccl::PeerLevel nic_level(const PathRules& rules, std::uint32_t nic) {
    const nccl::Locality& places = rules.places(rules.fabric.pace());
    const nccl::PciePath path = places.nic_path(places.nearest_gpu[nic], nic);
    const bool c2c = rules.fabric.node().cpu_vendor == "nvidia" && path == nccl::PciePath::phb;
    return level_of(c2c ? nccl::PciePath::pxb : path);
}

PathQuery between(const PathRules& rules, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = rules.fabric.pace() * rules.fabric.gpus_per_node();
    return rules.applied({.src = rules.fabric.gpu(first + a), .dst = rules.fabric.gpu(first + b)});
}

}  // namespace

nccl::PeerLevel PathRules::level(std::uint32_t node, std::uint32_t a, std::uint32_t b) const {
    const nccl::Locality& there = places(node);
    if (fabric.node(node).nvlink == NvlinkShape::nvswitch || there.links(a, b) > 0) { return nccl::PeerLevel::nvl; }
    for (std::uint32_t via = 0; via < there.gpus; ++via) {
        if (there.links(a, via) > 0 && there.links(via, b) > 0) { return nccl::PeerLevel::nvb; }
    }
    return level_of(there.pcie(a, b));
}

PathQuery PathRules::applied(PathQuery query) const {
    if (fabric.node_of(query.src) != fabric.node_of(query.dst)) {
        query.forwarded = pxn;
        return query;
    }
    const bool gpus = fabric.kind(query.src) == DeviceKind::gpu && fabric.kind(query.dst) == DeviceKind::gpu;
    if (!peers || !gpus || query.src == query.dst) { return query; }
    const std::uint32_t node = fabric.node_of(query.src);
    const nccl::PeerLevel path = level(node, fabric.local_index(query.src), fabric.local_index(query.dst));
    const bool over_pcie = path >= nccl::PeerLevel::pix;
    if (path > *peers || (over_pcie && !fabric.node(node).peer_to_peer)) {
        query.kind = PathKind::host_staged;
    } else if (over_pcie) {
        query.kind = PathKind::p2p;
    }
    return query;
}

double narrowest(const Fabric& fabric, const Path& path) {
    double least = std::numeric_limits<double>::infinity();
    for (const LinkId link : path.span()) { least = std::min(least, fabric.link(link).capacity); }
    return least;
}

void check_peers(const PathRules& rules) {
    const std::uint32_t last = rules.fabric.gpus_per_node() - 1;
    if (!rules.peers || last == 0) { return; }
    try {
        (void)rules.fabric.path(between(rules, 0, last));
    } catch (const Unreachable& error) {
        throw PlanError(fmt::format("NCCL_P2P_DISABLE or NCCL_P2P_LEVEL leaves GPUs of one {} no way to each other: {}",
                                    rules.fabric.node().name, error.what()));
    }
}

bool uses_gpu_direct(const PathRules& rules, nccl::PeerLevel level) {
    const Fabric& fabric = rules.fabric;
    if (!fabric.node().gpu_direct || fabric.nics_per_node() == 0) { return fabric.node().gpu_direct; }
    for (std::uint32_t nic = 0; nic < fabric.nics_per_node(); ++nic) {
        if (nic_level(rules, nic) <= level) { return true; }
    }
    return false;
}

std::string_view inside_by(const PathRules& rules) {
    const std::uint32_t gpus = rules.fabric.gpus_per_node();
    const bool nvlink = rules.fabric.node().nvlink != NvlinkShape::none && rules.peers >= nccl::PeerLevel::nvl;
    if (!rules.peers || nvlink || gpus < 2) { return inside_of(rules.fabric); }
    for (std::uint32_t g = 0; g < gpus; ++g) {
        if (between(rules, g, (g + 1) % gpus).kind == PathKind::host_staged) { return "pcie-host"; }
    }
    return "pcie";
}

double nic_rate(const Fabric& fabric) {
    if (fabric.node_count() == 1) { return 0; }
    const double named = fabric.port().rate.bytes_per_second() * fabric.node().nic_ports;
    if (named > 0) { return named; }
    return narrowest(fabric, fabric.path({.src = fabric.gpu(0), .dst = fabric.gpu(fabric.gpus_per_node())}));
}

}  // namespace fabricast::inline collectives
