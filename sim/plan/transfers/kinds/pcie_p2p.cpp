// Peer to peer over PCIe: below one switch, through a host bridge, or across sockets if the CPU allows it. With ACS,
// traffic that switches would pass on goes up to the root port and down again.

#include "models/pcie.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

namespace {

// Limits the leg to the rate of the host bridges that it crosses.
void limit_by_bridge(const PathRequest& r, int crossed, Leg& leg) {
    const Part* part = cpu_part(r);
    if (crossed == 0 || part == nullptr) { return; }
    const CpuSpec cpu = cpu_spec(*part);
    const bool reads = r.operation == TransferOperation::read;
    leg.limit(peer_limit(cpu, reads), part->name + (reads ? " forwards peer reads" : " forwards peer writes"));
    if (cpu.vendor == "intel") {
        // Split into TLPs of 64 B (NCCL, src/graph/topo.h: INTEL_P2P_OVERHEAD).
        const double payload = r.figures.number("dma", "write.payload");
        leg.wire_ratio = pcie::efficiency(Bytes{static_cast<std::int64_t>(payload)}, pcie::write_overhead(4)) /
                         pcie::efficiency(Bytes{64}, pcie::write_overhead(4));
    }
}

// Sends the leg up to the root port and down again.
void redirect(const PathRequest& r, DeviceId cpu, DataPath& path, Leg& leg) {
    leg.paths = {query(r.from, cpu), query(cpu, r.to)};
    const Duration down = r.fabric.path(leg.paths[1]).latency;
    path.latency.push_back({"down from the root port again (ACS)", down, down, down, "the links"});
    path.notes.emplace_back("ACS is on: peer traffic goes through the root port");
}

}  // namespace

PathAttempt pcie_p2p(const PathRequest& r) {
    const auto end = [&](DeviceId d) { return is_gpu(r.fabric, d) || r.fabric.kind(d) == DeviceKind::nic; };
    if (!end(r.from) || !end(r.to) || !same_node(r)) {
        return Refusal{"PCIe peer to peer is between devices of one node"};
    }
    const PathQuery over = query(r.from, r.to, PathKind::p2p);
    const auto found = path_between(r.fabric, over);
    if (!found || found->count == 0) {
        return Refusal{"no PCIe joins " + name_of(r, r.from) + " and " + name_of(r, r.to)};
    }
    const Part* gpu = r.figures.catalog().find(r.fabric.node().gpu.name);
    if (gpu != nullptr && gpu->word_or("peer_to_peer", "yes") == "no") {
        return Refusal{"the stock driver of " + gpu->name + " allows no peer to peer"};
    }
    if (!r.fabric.node().peer_to_peer) { return Refusal{"the node allows no peer to peer (`peer_to_peer: false`)"}; }
    if (r.host.virtualised && !r.host.p2p_clique) {
        return Refusal{"the guest sees a flat topology: without the P2P clique capability the driver allows no peers"};
    }
    const Part* host = cpu_part(r);
    const bool sockets = has_class(r.fabric, *found, LinkClass::cpu_bus);
    if (sockets && host != nullptr && host->word_or("peers_across_sockets", "yes") == "no") {
        return Refusal{"the sockets' bus of " + host->name + " carries no peer traffic"};
    }
    DataPath path;
    Leg leg{.what = "copy engine of " + name_of(r, r.from) + " writes " + name_of(r, r.to) + " over PCIe",
            .paths = {over}};
    int crossed = bridges(r.fabric, *found);
    const auto memory = memory_beside(r.fabric, r.from, NumaPlace::near);
    if (crossed == 0 && r.host.acs && !r.host.ats && memory) {
        redirect(r, *cpu_of(r.fabric, *memory), path, leg);
        crossed = 1;
    }
    limit_by_bridge(r, crossed, leg);
    add_translation(r, path);
    path.legs = {leg};
    return path;
}

}  // namespace fabricast::inline transfers::transports
