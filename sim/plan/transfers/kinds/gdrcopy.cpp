// A core copies between host memory and a GPU through the GPU's BAR: stores combine to TLPs of 64 B, loads return one
// round trip later, a few in flight at once.

#include <algorithm>

#include "models/pcie.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

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
