#include "sim/plan/transfers/host_fabric.hpp"

// The fabric that transports are simulated on.

#include <algorithm>

#include "models/device_part.hpp"
#include "models/infiniband.hpp"
#include "models/link_part.hpp"

namespace fabricast {

namespace {

// Latency of the path to a plain server's adapter: a host bridge and one PCIe link.
Duration plain_path(const NodeTemplate& node) {
    Duration bridge;
    Duration cable;
    for (const NodeDevice& device : node.devices) {
        bridge = device.name.starts_with("cpu") ? device.latency : bridge;
    }
    for (const NodeCable& c : node.cables) {
        const bool of_nic = c.a.starts_with("nic") || c.b.starts_with("nic");
        cable = of_nic ? c.link.latency : cable;
    }
    return bridge + cable;
}

}  // namespace

Fabric transfer_fabric(const Fabric& built, const TransferWorkload& workload, const Catalog& catalog) {
    Cluster cluster = built.cluster();
    if (!cluster.node.nic_part.empty()) {
        const NicSpec nic = nic_spec(catalog.at("nic", cluster.node.nic_part));
        const Duration both = nic.transmit_latency + nic.receive_latency;
        const Duration own{std::max<std::int64_t>(0, both.ps / 2 - plain_path(cluster.node).ps)};
        for (NodeDevice& device : cluster.node.devices) {
            device.latency = device.name.starts_with("nic") ? own : device.latency;
        }
    }
    const Bytes mtu = workload.host.mtu;
    constexpr Bytes largest_rdma_mtu{4096};
    if (mtu.count > 0 && mtu <= largest_rdma_mtu && cluster.fabric.link.framing.payload.count > 0) {
        cluster.fabric.link.framing.payload = mtu;
        cluster.fabric.trunk.framing.payload = mtu;
    }
    return Fabric(std::move(cluster));
}

}  // namespace fabricast
