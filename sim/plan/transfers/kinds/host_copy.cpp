// A copy engine between a GPU and host memory: over PCIe, NVLink-C2C or a CPU's NVLink. Pageable memory is copied by a
// core through the driver's own pinned buffer.

#include "sim/plan/transfers/places.hpp"

namespace fabricast::transports {

PathAttempt host_copy(const PathRequest& r) {
    const bool down = is_host(r.fabric, r.from) && is_gpu(r.fabric, r.to);
    const bool up = is_gpu(r.fabric, r.from) && is_host(r.fabric, r.to);
    if ((!down && !up) || !same_node(r)) {
        return Refusal{"this copies between a GPU and the memory of its host"};
    }
    const PathQuery over = query(r.from, r.to);
    const auto found = path_between(r.fabric, over);
    if (!found) {
        return Refusal{"nothing joins " + name_of(r, r.from) + " and " + name_of(r, r.to)};
    }
    DataPath path;
    Leg leg{.what = "copy engine of " + name_of(r, down ? r.to : r.from) +
                    (down ? " reads host memory" : " writes host memory"),
            .paths = {over}};
    if (down) {
        leg.rate_cap = read_rate(r, *found);
        leg.cap = "completions of DMA reads";
        leg.reads = has_class(r.fabric, *found, LinkClass::pcie);
    }
    path.legs = {leg};
    if (!r.host.pinned) {
        const DeviceId memory = down ? r.from : r.to;
        const DeviceId cpu = *cpu_of(r.fabric, memory);
        Leg core{.what = "core copies between pageable memory and the driver's pinned buffer",
                 .paths = {query(memory, cpu), query(cpu, memory)},
                 .rate_cap = r.figures.number("local-copy", "core_rate"),
                 .cap = "one core's copy",
                 .dma = false};
        path.legs.insert(down ? path.legs.begin() : path.legs.end(), core);
        path.piece = rounded_bytes(r.figures.number("host-copy", "pageable.piece"));
        path.work.push_back({up, "copies pageable memory", {}, 1 / core.rate_cap});
    }
    return path;
}

}  // namespace fabricast::transports
