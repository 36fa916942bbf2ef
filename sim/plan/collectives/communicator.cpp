#include "sim/plan/collectives/communicator.hpp"

#include <algorithm>
#include <limits>

namespace fabricast {

namespace {

nccl::CpuVendor vendor(const std::string& word) {
    return word == "amd" ? nccl::CpuVendor::amd : word == "intel" ? nccl::CpuVendor::intel : nccl::CpuVendor::other;
}

// LL128 relies on NVLink keeping 128 B stores whole, and, between nodes, on NICs near the GPUs (ncclTopoTuneModel).
bool ll128_is_safe(const Fabric& fabric, const nccl::TopologySearchResult& found) {
    const int cc = fabric.node().gpu.compute_capability;
    if (cc < 70 || (!found.nvlink && fabric.gpus_per_node() > 1)) {
        return false;
    }
    if (fabric.node_count() == 1) {
        return true;
    }
    const nccl::Locality places = nccl::locality(fabric.node(), fabric.gpus_per_node());
    const auto near = [&](std::uint16_t nic) {
        return places.nic_path(places.nearest_gpu[nic], nic) <= nccl::PciePath::pxb;
    };
    return cc >= 90 || std::all_of(found.nics.begin(), found.nics.end(), near);
}

// SHARP: asked for by NCCL_COLLNET_ENABLE, and InfiniBand between the nodes.
bool network_reduces(const Fabric& fabric, const nccl::Environment& environment) {
    return environment.collnet_enable && fabric.node_count() > 1 &&
           fabric.cluster().fabric.link.family == LinkFamily::infiniband;
}

}  // namespace

// A fabric drawn by hand has no common link: there it is the rate of the path to the next node.
double port_rate(const Fabric& fabric) {
    if (fabric.node_count() == 1) {
        return 0;
    }
    const double named = fabric.cluster().fabric.link.rate.bytes_per_second() * fabric.node().nic_ports;
    if (named > 0) {
        return named;
    }
    PathQuery query;
    query.src = fabric.gpu(0);
    query.dst = fabric.gpu(fabric.gpus_per_node());
    double narrowest = std::numeric_limits<double>::infinity();
    const Path path = fabric.path(query);
    for (const LinkId link : path.span()) {
        narrowest = std::min(narrowest, fabric.link(link).capacity);
    }
    return narrowest;
}

nccl::Communicator communicator(const Fabric& fabric, const nccl::TopologySearchResult& found,
                                const nccl::Environment& environment) {
    const NodeTemplate& node = fabric.node();
    return {.ranks = fabric.gpu_count(),
            .nodes = fabric.node_count(),
            .compute_capability = node.gpu.compute_capability,
            .cpu = vendor(node.cpu_vendor),
            .nvlink = found.nvlink,
            .ll128 = ll128_is_safe(fabric, found),
            .nvls = found.nvls_channels > 0,
            .nvswitch = node.nvlink == NvlinkShape::nvswitch,
            .collnet = network_reduces(fabric, environment)};
}

}  // namespace fabricast
