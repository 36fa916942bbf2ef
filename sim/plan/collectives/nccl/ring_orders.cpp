#include "sim/plan/collectives/nccl/ring_orders.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/plan/collectives/nccl/hamilton.hpp"
#include "sim/plan/collectives/nccl/pcie_rings.hpp"

namespace fabricast::inline collectives::nccl {

namespace {

// From `first` through all others in index order to `last`.
std::vector<std::uint16_t> order_between(const NodeBandwidths& p, std::uint32_t first, std::uint32_t last) {
    std::vector<std::uint16_t> order{static_cast<std::uint16_t>(first)};
    for (std::uint32_t step = 1; step < p.gpus; ++step) {
        const std::uint32_t g = (first + step) % p.gpus;
        if (g != last) { order.push_back(static_cast<std::uint16_t>(g)); }
    }
    if (last != first) { order.push_back(static_cast<std::uint16_t>(last)); }
    return order;
}

// The order of a ring on this rail: it comes in through the GPU that owns the NIC and leaves through another GPU near
// the NIC if there is one (in a rack, a GPU of the same tray, because the others cannot reach the NIC); all others are
// in between, in the order of the node template, which lists GPUs by position, as NCCL sorts them.
std::vector<std::uint16_t> rail_order(const NodeBandwidths& p, std::uint16_t nic) {
    const std::uint32_t first = p.places.nearest_gpu[nic];
    std::uint32_t last = (first + p.gpus - 1) % p.gpus;
    for (std::uint32_t g = 0; g < p.gpus; ++g) {
        const PciePath way = p.places.nic_path(g, nic);
        const PciePath held = p.places.nic_path(last, nic);
        const bool beside = way <= PciePath::pxb && held > PciePath::pxb;
        if (g != first && (beside || (held == PciePath::dis && way < held))) { last = g; }
    }
    return order_between(p, first, last);
}

// A path through a mesh, from the GPU that owns a rail's NIC to the GPU that leaves the node: the nearest to the NIC,
// and among equally near ones the one that the fewest rings leave through so far, so that two rails do not share one
// PCIe slot. Takes its room; empty if no path is left.
std::vector<std::uint16_t> mesh_order(const NodeBandwidths& p, std::uint16_t nic, std::vector<int>& room,
                                      std::vector<int>& exits) {
    const auto first = static_cast<std::uint16_t>(p.places.nearest_gpu[nic]);
    std::vector<std::uint16_t> lasts;
    for (std::uint32_t back = 1; back < p.gpus; ++back) {
        lasts.push_back(static_cast<std::uint16_t>((first + p.gpus - back) % p.gpus));
    }
    std::ranges::stable_sort(lasts, {}, [&](std::uint16_t last) {
        return std::tuple{p.places.nic_path(last, nic), exits[last]};
    });
    for (const std::uint16_t last : lasts) {
        std::vector<std::uint16_t> way = hamiltonian_path(p.gpus, room, first, last);
        if (!way.empty()) {
            for (std::size_t i = 0; i + 1 < way.size(); ++i) { --room[way[i] * p.gpus + way[i + 1]]; }
            ++exits[last];
            return way;
        }
    }
    return {};
}

// The links of a full mesh of n GPUs, n even, fall into n paths through all GPUs, one from each: g, g+1, g-1, g+2, ...,
// g+n/2 from half of them, and the same ways back from the others (Walecki's decomposition).
std::vector<std::uint16_t> zigzag(std::uint32_t n, std::uint32_t first) {
    const std::uint32_t begin = first % (n / 2);
    std::vector<std::uint16_t> order;
    for (std::uint32_t i = 0; i < n; ++i) {
        order.push_back(static_cast<std::uint16_t>((i % 2 == 1 ? begin + (i + 1) / 2 : begin + n - i / 2) % n));
    }
    if (first != begin) { std::ranges::reverse(order); }
    return order;
}

// The rings of a full mesh between nodes. RCCL has them written down, and a search that may change rails finds as many:
// each comes in by the NIC of its first GPU and leaves by that of its last, every link carries one, and every other
// node goes the same way back, which keeps a ring on two rails (ROCm/rccl src/graph/rome_models.cc, rome_model_81 and
// parseA2a8P).
std::vector<Ring> disjoint_rings(const NodeBandwidths& p, std::size_t count) {
    std::vector<std::vector<std::uint16_t>> nics_of(p.gpus);
    for (const std::uint16_t nic : p.rails) { nics_of[p.places.nearest_gpu[nic]].push_back(nic); }
    std::vector<Ring> rings;
    for (std::size_t c = 0; c < count; ++c) {
        Ring ring{.order = zigzag(p.gpus, static_cast<std::uint32_t>(c % p.gpus))};
        const auto nic_of = [&](std::uint16_t gpu) { return nics_of[gpu][c / p.gpus % nics_of[gpu].size()]; };
        ring.nic = nic_of(ring.order.front());
        ring.exit_nic = nic_of(ring.order.back());
        ring.odd_order.assign(ring.order.rbegin(), ring.order.rend());
        rings.push_back(std::move(ring));
    }
    return rings;
}

// The NIC nearest to a ring's last GPU, by which the ring leaves the node. No more rings leave by a NIC than come in by
// it (`most`): the search subtracts each ring's speed from what the NIC has left and skips a NIC that has too little
// (src/graph/search.cc, ncclTopoSearchRecGpu). Otherwise all GPUs equally far from every NIC would leave by the first.
std::uint16_t nearest_exit(const NodeBandwidths& p, std::uint16_t gpu, std::size_t most,
                           std::map<std::uint16_t, std::size_t>& taken) {
    const auto far = [&](std::uint16_t nic) {
        return std::tuple{taken[nic] >= most, p.places.nic_path(gpu, nic), p.places.nearest_gpu[nic] != gpu};
    };
    const std::uint16_t nearest = std::ranges::min(p.rails, {}, far);
    ++taken[nearest];
    return nearest;
}

// NCCL swaps the rings of a pair on every other node, so that each stays on two rails (src/graph/connect.cc,
// ncclTopoPostset); a ring without a partner keeps its rail.
void leave_in_pairs(const NodeBandwidths& p, std::vector<Ring>& rings) {
    for (std::size_t c = 0; c + 1 < rings.size(); c += 2) {
        Ring& a = rings[c];
        Ring& b = rings[c + 1];
        const std::uint32_t first = p.places.nearest_gpu[a.nic];
        const std::uint32_t last = p.places.nearest_gpu[b.nic];
        if (first == last) { continue; }
        a.exit_nic = b.nic;
        b.exit_nic = a.nic;
        a.order = b.odd_order = order_between(p, first, last);
        b.order = a.odd_order = order_between(p, last, first);
    }
}

}  // namespace

std::vector<Ring> ring_orders(const NodeBandwidths& p, int channels, double speed, Exit exit) {
    if (p.ways_across || (p.written_down > 0 && p.several())) {
        return disjoint_rings(p, static_cast<std::size_t>(channels));
    }
    const bool mesh = mesh_closes(p);
    std::vector<std::vector<std::uint16_t>> cycles;
    if (mesh && !p.several()) {
        // Written down are as many rings as take each link twice, each for several channels (rome_model_79).
        const bool twice = p.written_down > 0;
        cycles = hamiltonian_rings(p.gpus, mesh_capacity(p, twice ? p.per_link / 2 : speed), channels);
    }
    if (partly_on_nvlink(p)) { cycles = pcie_rings(p, speed, channels); }
    std::vector<std::uint16_t> in_order(p.gpus);
    std::iota(in_order.begin(), in_order.end(), std::uint16_t{0});
    std::vector<int> room = mesh_capacity(p, speed), exits(p.gpus, 0);  // left in the mesh; by GPU
    std::map<std::uint16_t, std::size_t> taken;                         // rings by the NIC that they leave by
    const auto count = static_cast<std::size_t>(channels);
    const std::size_t per_nic = (count + p.rails.size() - 1) / std::max<std::size_t>(p.rails.size(), 1);
    std::vector<Ring> rings;
    for (std::size_t c = 0; c < count; ++c) {
        Ring ring;
        if (!p.several()) {
            ring.order = cycles.empty() ? in_order : cycles[c % cycles.size()];
        } else {
            ring.nic = p.rails[c % p.rails.size()];
            ring.order = mesh ? mesh_order(p, ring.nic, room, exits) : rail_order(p, ring.nic);
            if (ring.order.empty()) { ring.order = rail_order(p, ring.nic); }
            ring.exit_nic = exit == Exit::nearest ? nearest_exit(p, ring.order.back(), per_nic, taken) : ring.nic;
        }
        rings.push_back(std::move(ring));
    }
    if (exit == Exit::in_pairs && !mesh) { leave_in_pairs(p, rings); }
    return rings;
}

}  // namespace fabricast::inline collectives::nccl
