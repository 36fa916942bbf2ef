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

// Ways through a mesh, from the GPU that owns a rail's NIC to the one that leaves the node: nearest to the NIC, and
// among equals the one that lets out the fewest rings so far, or its slot would hold up two rails.
class MeshWays {
public:
    MeshWays(const CountedNode& p, double speed) : p_(p), room_(mesh_capacity(p, speed)), exits_(p.gpus, 0) {}

    // Empty where no way is left.
    std::vector<std::uint16_t> take(std::uint16_t nic) {
        const auto first = static_cast<std::uint16_t>(p_.places.nearest_gpu[nic]);
        for (const std::uint16_t last : exits_for(first, nic)) {
            std::vector<std::uint16_t> way = hamiltonian_path(p_.gpus, room_, first, last);
            if (!way.empty()) {
                for (std::size_t i = 0; i + 1 < way.size(); ++i) {
                    --room_[way[i] * p_.gpus + way[i + 1]];
                }
                ++exits_[last];
                return way;
            }
        }
        return {};
    }

private:
    std::vector<std::uint16_t> exits_for(std::uint16_t first, std::uint16_t nic) const {
        std::vector<std::uint16_t> lasts;
        for (std::uint32_t back = 1; back < p_.gpus; ++back) {
            lasts.push_back(static_cast<std::uint16_t>((first + p_.gpus - back) % p_.gpus));
        }
        std::stable_sort(lasts.begin(), lasts.end(), [&](std::uint16_t a, std::uint16_t b) {
            return std::tuple{p_.places.nic_path(a, nic), exits_[a]} <
                   std::tuple{p_.places.nic_path(b, nic), exits_[b]};
        });
        return lasts;
    }

    const CountedNode& p_;
    std::vector<int> room_;
    std::vector<int> exits_;
};

}  // namespace

std::vector<Ring> ring_orders(const CountedNode& p, int channels, double speed) {
    const bool mesh = mesh_closes(p);
    std::vector<std::vector<std::uint16_t>> cycles;
    if (mesh && !p.several()) {
        cycles = hamiltonian_rings(p.gpus, mesh_capacity(p, speed), channels);
    }
    std::vector<std::uint16_t> in_order(p.gpus);
    std::iota(in_order.begin(), in_order.end(), std::uint16_t{0});
    MeshWays ways(p, speed);
    std::vector<Ring> rings;
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
        Ring ring;
        if (!p.several()) {
            ring.order = cycles.empty() ? in_order : cycles[c % cycles.size()];
        } else {
            ring.nic = p.rails[c % p.rails.size()];
            ring.order = mesh ? ways.take(ring.nic) : rail_order(p, ring.nic);
            if (ring.order.empty()) {
                ring.order = rail_order(p, ring.nic);
            }
        }
        rings.push_back(std::move(ring));
    }
    return rings;
}

}  // namespace fabricast::nccl
