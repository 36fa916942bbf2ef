// Loads and stores, or a DMA engine, on a pool of memory behind CXL: a PCIe link with 64 B lines and its own latency.

#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

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
