#include "validate/curves/null_models.hpp"

#include "sim/plan/collectives/planner.hpp"

namespace fabricast::inline curves {
namespace {

// Datasheet rate of the GPU's link, or of all NICs of the node together, per direction; bytes per second.
double datasheet_bandwidth(const Fabric& fabric) {
    const NodeTemplate& node = fabric.node();
    if (fabric.node_count() > 1) { return fabric.cluster().fabric.link.rate.bytes_per_second() * node.nics; }
    if (node.nvlink != NvlinkShape::none && node.gpu.nvlink_rate > 0) { return node.gpu.nvlink_rate; }
    for (const NodeCable& cable : node.cables) {
        if (cable.a == "gpu0" || cable.b == "gpu0") { return cable.link.rate.bytes_per_second() * cable.count; }
    }
    return 0;
}

}  // namespace

double datasheet_wire_time(const CollectiveWorkload& workload, Bytes size, const Fabric& fabric) {
    const double factor = busbw_factor(workload.collective, fabric.gpu_count());
    return factor * static_cast<double>(size.count) / datasheet_bandwidth(fabric);
}

Hops ring_hops(Collective collective, std::uint32_t ranks, std::uint32_t nodes) {
    const double steps = ranks - 1.0;
    const double between = nodes - 1.0;
    switch (collective) {
        case Collective::all_reduce: return {2 * (steps - between), 2 * between};
        case Collective::sendrecv: return nodes > 1 ? Hops{0, 1} : Hops{1, 0};
        default: return {steps - between, between};
    }
}

}  // namespace fabricast::inline curves
