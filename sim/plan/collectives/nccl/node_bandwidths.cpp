#include "sim/plan/collectives/nccl/node_bandwidths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "sim/plan/collectives/nccl/hamilton.hpp"

namespace fabricast::inline collectives::nccl {

namespace {

// A release that is older than a GPU counts its links as those of the GPUs before.
double nvlink_speed(const Release& release, int cc) {
    for (const int known : {100, 90, 80, 70}) {
        const std::string figure = fmt::format("nvlink.sm{}", cc == 86 ? 86 : known);
        if (cc >= known && release.entry->has(figure)) { return release.number(figure); }
    }
    return release.number("nvlink.sm60");
}

// NCCL reads generation and width from sysfs and rounds; here they follow from the slot's line rate.
double pcie_speed(const Release& release, const NodeTemplate& node) {
    double slowest = 0;
    for (const NodeCable& cable : node.cables) {
        const bool at_gpu = cable.a.starts_with("gpu") || cable.b.starts_with("gpu");
        if (at_gpu && (cable.link.family == LinkFamily::pcie || cable.link.family == LinkFamily::c2c)) {
            const double rate = cable.link.rate.bytes_per_second();
            slowest = slowest == 0 ? rate : std::min(slowest, rate);
        }
    }
    const std::vector<double>& lanes = release.entry->list("pci.lane");
    double best = lanes.front() * 16;
    for (const double lane : lanes) {
        // NCCL's figure is 0.75 of the raw bit rate, the line rate after 128b/130b coding is 0.985 of it.
        if (std::abs(lane * 16 / 0.762 - slowest) < std::abs(best / 0.762 - slowest)) { best = lane * 16; }
    }
    return best;
}

// The rate between CPUs, by CPU family. If only the vendor is known, its most common family counts: NCCL takes every
// Xeon that it does not recognize for a Skylake.
double between_cpus(const Release& release, const NodeTemplate& node) {
    if (const std::string figure = "inter_cpu." + node.cpu_family; release.entry->has(figure)) {
        return release.number(figure);
    }
    const std::string& vendor = node.cpu_vendor;
    return release.number(vendor == "amd"      ? "inter_cpu.amd"
                          : vendor == "ibm"    ? "inter_cpu.power9"
                          : vendor == "nvidia" ? "inter_cpu.arm"
                                               : "inter_cpu.skylake");
}

// The rails NCCL uses: the NICs that are nearest to some GPU.
std::vector<std::uint16_t> rails_of(const Locality& places) {
    std::vector<std::uint16_t> rails(places.nics);
    std::iota(rails.begin(), rails.end(), std::uint16_t{0});
    const auto reach = [&](std::uint16_t nic) { return places.nic_path(places.nearest_gpu[nic], nic); };
    const PciePath nearest = rails.empty() ? PciePath::dis : reach(std::ranges::min(rails, {}, reach));
    std::erase_if(rails, [&](std::uint16_t nic) { return reach(nic) != nearest; });
    return rails;
}

}  // namespace

const std::vector<double>& NodeBandwidths::speeds() const {
    const int cc = node.gpu.compute_capability;
    const char* where = several() ? "inter" : "intra";
    for (const auto& [era, since] : {std::pair{"blackwell", 100}, std::pair{"hopper", 90}}) {
        const std::string figure = fmt::format("search.{}.{}", where, era);
        if (cc >= since && release.entry->has(figure)) { return release.entry->list(figure); }
    }
    return release.entry->list(fmt::format("search.{}.pre_hopper", where));
}

NodeBandwidths count_node(const NodeTemplate& node, std::uint32_t gpus, std::uint32_t nodes, double port,
                          const Release& release) {
    NodeBandwidths p{
        .node = node, .release = release, .places = locality(node, gpus), .gpus = gpus, .nodes = nodes, .rails = {}};
    p.per_link = nvlink_speed(release, node.gpu.compute_capability);
    p.nvlink_total = node.nvlink == NvlinkShape::none ? 0 : node.gpu.nvlinks * p.per_link;
    p.pcie = pcie_speed(release, node);
    p.inter_cpu = between_cpus(release, node);
    if (nodes > 1) {
        p.rails = rails_of(p.places);
        p.port = port;
        // With two GPUs near a rail, the ring comes in by one and leaves by the other; with one, over NVLink (PXN).
        // With none it leaves through the processors, but for a Grace's.
        for (const std::uint16_t nic : p.rails) {
            std::uint32_t beside = 0;
            for (std::uint32_t g = 0; g < gpus; ++g) { beside += p.places.nic_path(g, nic) <= PciePath::pxb ? 1 : 0; }
            p.pxn_exit = p.pxn_exit || (gpus > 1 && (beside == 1 || (beside == 0 && node.cpu_vendor == "nvidia")));
        }
        p.ring_forwards = p.pxn_exit;
    }
    return p;
}

std::vector<int> mesh_capacity(const NodeBandwidths& p, double speed) {
    std::vector<int> capacity(p.places.nvlinks.size());
    std::transform(p.places.nvlinks.begin(), p.places.nvlinks.end(), capacity.begin(),
                   [&](int links) { return static_cast<int>(links * p.per_link / speed + 1e-9); });
    return capacity;
}

bool mesh_closes(const NodeBandwidths& p) {
    return p.node.nvlink == NvlinkShape::mesh && p.gpus > 1 &&
           !hamiltonian_rings(p.gpus, mesh_capacity(p, p.per_link), 1).empty();
}

bool full_mesh(const NodeBandwidths& p) {
    const auto unlinked = std::ranges::count(p.places.nvlinks, 0);  // a GPU has none to itself
    return p.node.nvlink == NvlinkShape::mesh && p.gpus % 2 == 0 && unlinked == static_cast<std::ptrdiff_t>(p.gpus);
}

bool nic_of_each(const NodeBandwidths& p) { return p.rails.size() == p.gpus && nics_of_each(p); }

bool nics_of_each(const NodeBandwidths& p) {
    std::vector<std::size_t> nics(p.gpus, 0);
    for (const std::uint16_t nic : p.rails) { ++nics[p.places.nearest_gpu[nic]]; }
    return !p.rails.empty() && std::ranges::all_of(nics, [&](std::size_t n) { return n == nics.front(); });
}

bool ring_on_nvlink(const NodeBandwidths& p) {
    return p.gpus == 1 || p.node.nvlink == NvlinkShape::nvswitch || mesh_closes(p);
}

}  // namespace fabricast::inline collectives::nccl
