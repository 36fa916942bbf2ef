#include "sim/plan/transfers/network.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/unit_text.hpp"
#include "models/device_part.hpp"

namespace fabricast::inline transfers {

namespace {

constexpr std::string_view verbs = "rdma";

// Time to pin the buffer's pages and to register them with the adapter.
Duration registration(const PathRequest& r, bool gpu) {
    const std::string prefix = gpu ? "register.gpu" : r.host.huge_pages ? "register.huge" : "register.page";
    const double page = gpu ? 65536 : r.host.huge_pages ? 2097152 : 4096;  // bytes; GPU pages are 64 KiB
    const double pages = std::ceil(static_cast<double>(r.bytes.count) / page);
    return from_seconds(r.figures.number(verbs, gpu ? "register.gpu_start" : "register.start") +
                        pages * r.figures.number(verbs, prefix));
}

double limit_at(const PathRequest& r, DeviceId gpu, bool reads) {
    const std::uint16_t nic = adapter_of(r.fabric, gpu, r.host.nic);
    const auto path = path_between(r.fabric, query(gpu, r.fabric.nic(r.fabric.node_of(gpu), nic), PathKind::p2p));
    const Part* part = cpu_part(r);
    if (!path || part == nullptr || bridges(r.fabric, *path) == 0) { return std::numeric_limits<double>::infinity(); }
    return peer_limit(cpu_spec(*part), reads);
}

// Staging memory uses the adapter of the GPU that it serves, wherever the memory itself is.
DeviceId served_by(const PathRequest& r, DeviceId end) {
    for (const DeviceId gpu : {r.from, r.to}) {
        if (is_host(r.fabric, end) && is_gpu(r.fabric, gpu) && r.fabric.node_of(gpu) == r.fabric.node_of(end)) {
            return gpu;
        }
    }
    return end;
}

}  // namespace

PathQuery between_adapters(const PathRequest& r, DeviceId from, DeviceId to) {
    PathQuery over = query(from, to, PathKind::network);
    over.src_nic = adapter_of(r.fabric, served_by(r, from), r.host.nic);
    over.dst_nic = adapter_of(r.fabric, served_by(r, to), r.host.nic);
    over.forwarded = r.host.nic == NumaPlace::near;
    return over;
}

std::optional<std::string> no_adapter(const PathRequest& r) {
    if (r.fabric.nics_per_node() == 0) {
        return same_node(r) ? "the node has no adapter" : "the nodes have no adapters";
    }
    for (const DeviceId end : {r.from, r.to}) {
        const std::uint32_t nics = r.fabric.nics_per_node();
        if (r.host.nic == NumaPlace::far && (nics == 1 || !has_farther_adapter(r.fabric, end))) {
            return "no adapter is farther from " + name_of(r, end) + " than its own (`nic: far`)";
        }
    }
    return std::nullopt;
}

std::optional<std::string> no_rdma(const PathRequest& r) {
    if (auto why = no_adapter(r)) { return why; }
    if (!r.host.rdma) { return "the host has no verbs stack (`rdma: false`)"; }
    if (r.host.locked_memory.count > 0 && r.host.locked_memory < r.bytes) {
        return fmt::format("the locked-memory limit of {} is below the {} to be registered (`ulimit -l`)",
                           text(r.host.locked_memory), text(r.bytes));
    }
    if (r.fabric.cluster().fabric.kind == FabricKind::none) { return "there is no network"; }
    return std::nullopt;
}

std::optional<std::string> no_gpu_rdma(const PathRequest& r) {
    if (auto why = no_rdma(r)) { return why; }
    const bool reached = r.host.peer_memory && r.fabric.node().gpu_direct;
    return reached ? std::nullopt : std::optional<std::string>("adapters cannot reach GPU memory here");
}

Leg rdma_leg(const PathRequest& r, DeviceId from, DeviceId to) {
    const PathQuery over = between_adapters(r, from, to);
    Leg leg{.what = fmt::format("adapter reads {}, sends, and another writes {}", name_of(r, from), name_of(r, to)),
            .paths = {over}};
    if (is_gpu(r.fabric, from)) { leg.limit(limit_at(r, from, true), "the host bridge forwards peer reads"); }
    if (is_gpu(r.fabric, to)) { leg.limit(limit_at(r, to, false), "the host bridge forwards peer writes"); }
    const double capacity = narrowest(r.fabric, r.fabric.path(over));
    if (!r.host.relaxed_ordering) {
        const Part* cpu = cpu_part(r);
        if (cpu != nullptr && cpu->word_or("vendor", "") == "amd") {
            leg.limit(capacity * r.figures.number(verbs, "strict_ordering.share"), "PCIe writes in strict order");
        }
    }
    return leg;
}

void add_rdma_costs(const PathRequest& r, DataPath& path) {
    for (const DeviceId end : {r.from, r.to}) {
        if (is_gpu(r.fabric, end)) {
            const Part& nic = r.figures.part(r.fabric.node().nic_part);
            LatencyTerm term = r.figures.latency("aperture of " + name_of(r, end) + " instead of host memory", nic.name,
                                                 "latency.gpu_memory");
            // The figure counts both ends' apertures, so each end gets half of it.
            for (Duration* d : {&term.time, &term.low80, &term.high80}) { d->ps /= 2; }
            path.latency.push_back(std::move(term));
        }
    }
    add_translation(r, path);
    if (r.operation == TransferOperation::read) {
        const Duration there = r.fabric.path(path.legs.front().paths.front()).latency;
        path.latency.push_back({"the read request travels there", there, there, there, "the links"});
    }
    if (!r.host.registration_cache) {
        path.work.push_back({false, "registers the buffer", registration(r, is_gpu(r.fabric, r.from)), 0, true});
        path.work.push_back({true, "registers the buffer", registration(r, is_gpu(r.fabric, r.to)), 0, true});
    }
}

DataPath rdma_path(const PathRequest& r) {
    DataPath path{.legs = {rdma_leg(r, r.from, r.to)}};
    add_rdma_costs(r, path);
    return path;
}

std::optional<HostEnds> host_ends(const PathRequest& r) {
    const auto from = memory_beside(r.fabric, r.from, r.host.numa);
    const auto to = memory_beside(r.fabric, r.to, r.host.numa);
    return from && to ? std::optional(HostEnds{*from, *to}) : std::nullopt;
}

void add_gpu_staging(const PathRequest& r, DataPath& path) {
    const HostEnds ends = *host_ends(r);
    const bool out = is_gpu(r.fabric, r.from);
    const bool in = is_gpu(r.fabric, r.to);
    const Duration restart = from_seconds(r.figures.number("staged-rdma", "piece_start"));
    const auto staged = [&](std::vector<Leg>::iterator at, DeviceId from, DeviceId to, bool receiver) {
        path.legs.insert(at, copy_engine(r, from, to, "host memory"))->restart = restart;
        path.work.push_back({receiver, "cudaMemcpy", from_seconds(r.figures.number("staged-rdma", "memcpy")), 0, true});
    };
    if (out) { staged(path.legs.begin(), r.from, ends.from, false); }
    if (in) { staged(path.legs.end(), ends.to, r.to, true); }
    if (out || in) {
        const Bytes own = path.piece;
        cut_into_pieces(r, "staged-rdma", path);
        path.piece = own.count > 0 ? own : path.piece;
    }
}

}  // namespace fabricast::inline transfers
