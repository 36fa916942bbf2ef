#include "sim/collectives/nccl/ring_orders.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "sim/collectives/nccl/hamilton.hpp"

namespace fabricast::nccl {

namespace {

// In a ring on this rail: in by the GPU that owns the NIC, out by another GPU beside it where there is one, all others
// in index order between. The index order is that of the node template, which lists GPUs by place, as NCCL sorts them.
std::vector<std::uint16_t> rail_order(const CountedNode& p, std::uint16_t nic) {
    const std::uint32_t first = p.places.nearest_gpu[nic];
    std::uint32_t last = (first + p.gpus - 1) % p.gpus;
    for (std::uint32_t g = 0; g < p.gpus; ++g) {
        if (g != first && p.places.nic_path(g, nic) <= PciePath::pxb && p.places.nic_path(last, nic) > PciePath::pxb) {
            last = g;
        }
    }
    std::vector<std::uint16_t> order{static_cast<std::uint16_t>(first)};
    for (std::uint32_t step = 1; step < p.gpus; ++step) {
        const std::uint32_t g = (first + step) % p.gpus;
        if (g != last) {
            order.push_back(static_cast<std::uint16_t>(g));
        }
    }
    if (last != first) {
        order.push_back(static_cast<std::uint16_t>(last));
    }
    return order;
}

// Turns a cycle so that its ends are the GPUs nearest to the NIC.
void turn_to(const CountedNode& p, std::uint16_t nic, std::vector<std::uint16_t>& cycle) {
    const auto distance = [&](std::size_t first) {
        const std::uint16_t out = cycle[(first + cycle.size() - 1) % cycle.size()];
        return std::tuple{p.places.nic_path(cycle[first], nic), p.places.nic_path(out, nic),
                          cycle[first] == p.places.nearest_gpu[nic] ? 0 : 1};
    };
    std::size_t best = 0;
    for (std::size_t first = 1; first < cycle.size(); ++first) {
        best = distance(first) < distance(best) ? first : best;
    }
    std::rotate(cycle.begin(), cycle.begin() + static_cast<std::ptrdiff_t>(best), cycle.end());
}

}  // namespace

std::vector<Ring> ring_orders(const CountedNode& p, int channels, double speed) {
    std::vector<std::vector<std::uint16_t>> cycles;
    if (mesh_closes(p)) {
        cycles = hamiltonian_rings(p.gpus, mesh_capacity(p, speed), channels);
    }
    std::vector<std::uint16_t> in_order(p.gpus);
    std::iota(in_order.begin(), in_order.end(), std::uint16_t{0});
    std::vector<Ring> rings;
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
        Ring ring;
        ring.nic = p.rails.empty() ? std::uint16_t{0} : p.rails[c % p.rails.size()];
        if (!cycles.empty()) {
            ring.order = cycles[c % cycles.size()];
            if (p.several()) {
                turn_to(p, ring.nic, ring.order);
            }
        } else {
            ring.order = p.several() ? rail_order(p, ring.nic) : in_order;
        }
        rings.push_back(std::move(ring));
    }
    return rings;
}

}  // namespace fabricast::nccl
