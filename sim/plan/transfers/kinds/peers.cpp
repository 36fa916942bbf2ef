// Devices of one node that reach each other without host memory: over NVLink, PCIe or CXL.

#include <fmt/format.h>

#include "models/pcie.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

// A copy engine, or a kernel's stores, over NVLink into the other GPU's memory.
PathAttempt nvlink_p2p(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from) || !is_gpu(r.fabric, r.to)) { return Refusal{"NVLink peer to peer is between GPUs"}; }
    if (!same_node(r)) { return Refusal{"the GPUs stand in different nodes"}; }
    const PathQuery over = query(r.from, r.to, PathKind::nvlink);
    const auto found = path_between(r.fabric, over);
    if (!found || found->count == 0) {
        return Refusal{"no NVLink joins " + name_of(r, r.from) + " and " + name_of(r, r.to)};
    }
    if (passes(r.fabric, *found, DeviceKind::gpu)) {
        return Refusal{"NVLink joins " + name_of(r, r.from) + " and " + name_of(r, r.to) +
                       " only through a third GPU, and copies are not forwarded"};
    }
    if (r.host.virtualised && !r.host.p2p_clique && r.fabric.node().nvlink == NvlinkShape::mesh) {
        return Refusal{"the guest sees a flat topology: without the P2P clique capability the driver allows no peers"};
    }
    const bool reads = r.operation == TransferOperation::read;
    return DataPath{
        .legs = {{.what = fmt::format("copy engine of {} {} {} over NVLink", name_of(r, reads ? r.to : r.from),
                                      reads ? "reads" : "writes", name_of(r, reads ? r.from : r.to)),
                  .paths = {over},
                  // Requests travel against the data: they cost the links only where those carry data both ways.
                  .wire_ratio =
                      reads && r.direction == Direction::both_ways ? r.figures.number("nvlink-p2p", "read.wire") : 1}}};
}

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

// Peer to peer over PCIe: below one switch, through a host bridge, or across sockets if the CPU allows it. With ACS,
// traffic that switches would pass on goes up to the root port and down again.
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
    if (!r.fabric.node().peer_to_peer) {
        const Part* gpu = r.figures.catalog().find(r.fabric.node().gpu.name);
        const bool driver = gpu != nullptr && gpu->word_or("peer_to_peer", "yes") == "no";
        return Refusal{driver ? "the stock driver of " + gpu->name + " allows no peer to peer"
                              : "the node allows no peer to peer (`peer_to_peer: false`)"};
    }
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

// Another device on PCIe (a frame grabber, a digitiser) that itself writes GPU memory, as GPUDirect for Video and
// GPUDirect RDMA allow, or host memory.
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

// Loads and stores, or a DMA engine, on a pool of memory behind CXL: a PCIe link with 64 B lines and its own latency.
PathAttempt cxl_pool(const PathRequest& r) {
    const auto pool = [&](DeviceId d) { return r.fabric.device_name(d).find(".cxl") != std::string::npos; };
    if (pool(r.from) == pool(r.to) || !same_node(r)) { return Refusal{"neither end is a CXL pool of this node"}; }
    if (!path_between(r.fabric, query(r.from, r.to))) { return Refusal{"nothing joins the two"}; }
    return DataPath{.latency = {r.figures.latency("the pool's controller and memory", "cxl-pool", "access")},
                    .legs = {{.what = "lines of 64 B between " + name_of(r, r.from) + " and " + name_of(r, r.to),
                              .paths = {query(r.from, r.to)},
                              .wire_ratio = r.figures.number("cxl-pool", "line.wire")}}};
}

}  // namespace fabricast::inline transfers::transports
