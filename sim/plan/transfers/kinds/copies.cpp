// Copies inside a node by a core or a copy engine.

#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "models/pcie.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

// A copy inside one device's memory: each byte is read and written there.
PathAttempt local_copy(const PathRequest& r) {
    if (r.from != r.to) { return Refusal{"the two devices are not one"}; }
    if (is_gpu(r.fabric, r.from)) {
        const Part* gpu = r.figures.catalog().find(r.fabric.node().gpu.name);
        const bool own = gpu != nullptr && gpu->has("copy.share");
        const double share =
            own ? r.figures.number(gpu->name, "copy.share") : r.figures.number("local-copy", "memory_share");
        return DataPath{.legs = {{.what = "copy kernel of " + name_of(r, r.from) + " reads and writes its memory",
                                  .memory_traffic = 2 / share}}};
    }
    if (is_host(r.fabric, r.from)) {
        return DataPath{.legs = {core_copy(r, r.from, "core copies inside " + name_of(r, r.from),
                                           r.figures.number("local-copy", "core_rate"), "one core's copy")}};
    }
    return Refusal{"only GPUs and host memory copy inside themselves"};
}

// A copy engine between a GPU and host memory: over PCIe, NVLink-C2C or a CPU's NVLink. Pageable memory is copied by a
// core through the driver's own pinned buffer.
PathAttempt host_copy(const PathRequest& r) {
    const bool down = is_host(r.fabric, r.from) && is_gpu(r.fabric, r.to);
    const bool up = is_gpu(r.fabric, r.from) && is_host(r.fabric, r.to);
    if ((!down && !up) || !same_node(r)) { return Refusal{"this copies between a GPU and the memory of its host"}; }
    const auto found = path_between(r.fabric, query(r.from, r.to));
    if (!found) { return Refusal{"nothing joins " + name_of(r, r.from) + " and " + name_of(r, r.to)}; }
    DataPath path{.legs = {copy_engine(r, r.from, r.to, "host memory")}};
    path.legs.front().reads = down && has_class(r.fabric, *found, LinkClass::pcie);
    if (!r.host.pinned) {
        const double rate = r.figures.number("local-copy", "core_rate");
        path.legs.insert(
            down ? path.legs.begin() : path.legs.end(),
            core_copy(r, down ? r.from : r.to, "core copies between pageable memory and the driver's pinned buffer",
                      rate, "one core's copy"));
        path.piece = rounded_bytes(r.figures.number("host-copy", "pageable.piece"));
        path.work.push_back({up, "copies pageable memory", {}, 1 / rate});
    }
    return path;
}

// From GPU to GPU through pinned host memory: one copy engine writes it, another one reads it, piece by piece.
PathAttempt host_staged(const PathRequest& r) {
    if (!is_gpu(r.fabric, r.from) || !is_gpu(r.fabric, r.to) || !same_node(r) || r.from == r.to) {
        return Refusal{"staging through host memory is between two GPUs of one node"};
    }
    const auto memory = memory_beside(r.fabric, r.to, r.host.numa);
    if (!memory || !path_between(r.fabric, query(r.from, *memory)) || !path_between(r.fabric, query(*memory, r.to))) {
        return Refusal{"the node template draws no host memory to stage through"};
    }
    DataPath path;
    cut_into_pieces(r, "host-staged", path);
    const Bytes buffer = path.piece * path.slots;
    if (r.host.locked_memory.count > 0 && r.host.locked_memory < buffer) {
        return Refusal{
            fmt::format("the locked-memory limit of {} is below the {} of pinned staging buffer (`ulimit -l`)",
                        text(r.host.locked_memory), text(buffer))};
    }
    path.legs = {copy_engine(r, r.from, *memory, name_of(r, *memory)),
                 copy_engine(r, *memory, r.to, name_of(r, *memory))};
    // The driver lets the two directions of a pair wait for each other.
    const double share = r.direction == Direction::both_ways ? r.figures.number("host-staged", "both_ways.share") : 1;
    for (Leg& leg : path.legs) {
        leg.start = from_seconds(r.figures.number("host-staged", "piece_start"));
        leg.wire_ratio /= share;
    }
    path.latency = {r.figures.latency("the engines wait for each other", "host-staged", "handover")};
    return path;
}

// A core copies between host memory and a GPU through the GPU's BAR: stores combine to TLPs of 64 B, loads return one
// round trip later, a few in flight at once.
PathAttempt gdrcopy(const PathRequest& r) {
    const bool writes = is_host(r.fabric, r.from) && is_gpu(r.fabric, r.to);
    const bool reads = is_gpu(r.fabric, r.from) && is_host(r.fabric, r.to);
    if ((!writes && !reads) || !same_node(r)) { return Refusal{"a core maps GPUs of its own node"}; }
    const auto found = path_between(r.fabric, query(r.from, r.to));
    if (!found) { return Refusal{"nothing joins " + name_of(r, r.from) + " and " + name_of(r, r.to)}; }
    const double line = r.figures.number("gdrcopy", "store");
    DataPath path;
    Leg leg{.what = writes ? "core stores into the GPU's BAR" : "core loads from the GPU's BAR",
            .paths = {query(r.from, r.to)},
            .dma = false};
    double rate = 0;
    if (writes) {
        const Bytes payload = rounded_bytes(r.figures.number("dma", "write.payload"));
        leg.wire_ratio = pcie::efficiency(payload, pcie::write_overhead(4)) /
                         pcie::efficiency(Bytes{static_cast<std::int64_t>(line)}, pcie::write_overhead(4));
        rate = narrowest(r.fabric, *found) / leg.wire_ratio;
    } else {
        LatencyTerm trip =
            r.figures.latency("a load's round trip, beside one way of the links", "gdrcopy", "load.round_trip");
        rate = leg.rate_cap = r.figures.number("gdrcopy", "loads") * line / to_seconds(trip.time);
        leg.cap = "loads under way in one core";
        for (Duration* d : {&trip.time, &trip.low80, &trip.high80}) { *d = std::max(Duration{}, *d - found->latency); }
        path.latency = {trip};
    }
    path.work = {{reads, "copies through the BAR", {}, 1 / rate}};
    path.legs = {leg};
    return path;
}

}  // namespace fabricast::inline transfers::transports
