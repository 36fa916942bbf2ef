// Another device on PCIe (a frame grabber, a digitiser) that itself writes GPU memory, as GPUDirect for Video and
// GPUDirect RDMA allow, or host memory.

#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

PathAttempt peer_device(const PathRequest& r) {
    const auto third = [&](DeviceId d) {
        const std::string name = name_of(r, d);
        const bool forwards = name.find(".switch") != std::string::npos || name.find(".bridge") != std::string::npos;
        return r.fabric.kind(d) == DeviceKind::pcie_switch && !forwards && !is_drive(r, d);
    };
    if (third(r.from) == third(r.to) || !same_node(r)) { return Refusal{"neither end is a third party on PCIe"}; }
    const DeviceId other = third(r.from) ? r.to : r.from;
    if (is_gpu(r.fabric, other) && !r.host.peer_memory) {
        return Refusal{"neither nvidia_peermem nor dma-buf is there: devices cannot reach GPU memory"};
    }
    if (is_gpu(r.fabric, other) && r.host.acs && !r.host.ats) {
        return Refusal{"ACS is on: peer traffic goes through the root port"};
    }
    if (!path_between(r.fabric, query(r.from, r.to))) { return Refusal{"nothing joins the two"}; }
    return DataPath{
        .legs = {{.what = "DMA of " + name_of(r, third(r.from) ? r.from : r.to), .paths = {query(r.from, r.to)}}}};
}

}  // namespace fabricast::inline transfers::transports
