// A copy engine between a GPU and host memory: over PCIe, NVLink-C2C or a CPU's NVLink. Pageable memory is copied by a
// core through the driver's own pinned buffer.

#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers::transports {

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

}  // namespace fabricast::inline transfers::transports
