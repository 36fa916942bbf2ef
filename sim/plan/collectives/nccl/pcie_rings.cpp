#include "sim/plan/collectives/nccl/pcie_rings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace fabricast::inline collectives::nccl {

namespace {

using Order = std::vector<std::uint16_t>;

// The links of a node with what is left of each, and the search over them (src/graph/search.cc, ncclTopoSearchRec).
class RingSearch {
public:
    RingSearch(const NodeBandwidths& p, const std::vector<std::vector<CableWay>>& over_pcie, double speed, int most,
               PciePath farthest)
        : p_(p),
          n_(p.gpus),
          speed_(speed),
          most_(static_cast<std::size_t>(std::max(most, 0))),
          ways_(std::size_t{n_} * n_) {
        for (const NodeCable& cable : p.node.cables) {
            const double rate = cable.link.family == LinkFamily::cpu_bus ? p.inter_cpu : p.pcie;
            room_.insert(room_.end(), 2, rate);
        }
        for (std::uint32_t a = 0; a < n_; ++a) {
            for (std::uint32_t b = 0; b < n_; ++b) {
                Way& way = ways_[a * n_ + b];
                if (const int links = p.places.links(a, b); links > 0) {
                    way.links.push_back(room_.size());
                    room_.push_back(links * p.per_link);
                } else if (a != b && p.places.pcie(a, b) <= farthest) {
                    for (const CableWay& cable : over_pcie[a * n_ + b]) {
                        way.links.push_back(2 * cable.cable + (cable.backwards ? 1 : 0));
                    }
                }
                for (const std::size_t link : way.links) { way.rate = std::min(way.rate, room_[link]); }
            }
        }
        bound_ = std::min(most_, most_rings());
    }

    // As often as one ring fits: the first in index order, or the first that the search finds.
    std::vector<Order> alike() {
        std::vector<Order> best;
        Order in_order(n_);
        std::iota(in_order.begin(), in_order.end(), std::uint16_t{0});
        const std::vector<Order> searched = different(1);
        for (const Order& order : {in_order, searched.empty() ? in_order : searched.front()}) {
            std::vector<Order> copies;
            while (copies.size() < bound_ && take(order)) { copies.push_back(order); }
            for (std::size_t i = 0; i < copies.size(); ++i) { give(order, order.size()); }
            if (copies.size() > best.size()) { best = std::move(copies); }
        }
        return best;
    }

    std::vector<Order> different() { return different(bound_); }

private:
    struct Way {
        std::vector<std::size_t> links;  // into room_; empty: none
        double rate = 1e30;              // of its narrowest link
    };
    static constexpr int max_steps = 1 << 14;  // NCCL_SEARCH_TIMEOUT

    // Every ring leaves GPU 0's bridge over PCIe, and its processor if there are several.
    std::size_t most_rings() const {
        double by_slots = p_.pcie >= speed_ ? std::floor(p_.pcie / speed_ + 1e-9) : 0;
        double cards = 1;
        bool crosses = true;
        for (std::uint32_t g = 1; g < n_; ++g) {
            cards += p_.places.links(0, g) > 0 ? 1 : 0;
            crosses = crosses && (p_.places.links(0, g) > 0 || p_.places.pcie(0, g) >= PciePath::sys);
        }
        by_slots *= cards;
        std::size_t cpus = 0;
        for (const NodeDevice& device : p_.node.devices) { cpus += device.name.starts_with("cpu") ? 1 : 0; }
        const double by_cpus =
            std::floor(p_.inter_cpu / speed_ + 1e-9) * (cpus > 2 ? static_cast<double>(cpus - 1) : 1.0);
        return static_cast<std::size_t>(crosses ? std::min(by_slots, by_cpus) : by_slots);
    }

    bool fits(std::uint16_t from, std::uint16_t to) {
        const std::vector<std::size_t>& links = ways_[std::size_t{from} * n_ + to].links;
        const auto enough = [&](std::size_t link) { return room_[link] >= speed_ * (1 - 1e-9); };
        if (links.empty() || !std::ranges::all_of(links, enough)) { return false; }
        for (const std::size_t link : links) { room_[link] -= speed_; }
        return true;
    }
    void undo(std::uint16_t from, std::uint16_t to) {
        for (const std::size_t link : ways_[std::size_t{from} * n_ + to].links) { room_[link] += speed_; }
    }

    // The first `edges` edges of a ring are given back.
    void give(const Order& order, std::size_t edges) {
        for (std::size_t i = 0; i < edges; ++i) { undo(order[i], order[(i + 1) % n_]); }
    }
    bool take(const Order& order) {
        for (std::size_t i = 0; i < n_; ++i) {
            if (!fits(order[i], order[(i + 1) % n_])) {
                give(order, i);
                return false;
            }
        }
        return true;
    }

    std::vector<Order> different(std::size_t wanted) {
        wanted_ = wanted;
        steps_ = 0;
        best_.clear();
        rings_.clear();
        next_ring();
        return best_;
    }

    bool done() const { return best_.size() >= wanted_ || steps_ >= max_steps; }

    // The order of the GPUs first, or the last ring's again, then all others.
    void next_ring() {
        if (rings_.size() > best_.size()) { best_ = rings_; }
        if (done()) { return; }
        Order first(n_);
        std::iota(first.begin(), first.end(), std::uint16_t{0});
        if (!rings_.empty()) { first = rings_.back(); }
        if (take(first)) {
            rings_.push_back(first);
            next_ring();
            rings_.pop_back();
            give(first, n_);
        }
        for (std::uint16_t start = 0; start < n_ && !done(); ++start) {
            Order order{start};
            extend(order, std::uint64_t{1} << start);
        }
    }

    void extend(Order& order, std::uint64_t used) {
        if (done() || ++steps_ >= max_steps) { return; }
        const std::uint16_t at = order.back();
        if (order.size() == n_) {
            if (!fits(at, order.front())) { return; }
            rings_.push_back(order);
            next_ring();
            rings_.pop_back();
            undo(at, order.front());
            return;
        }
        for (const std::uint16_t to : nearest_first(at)) {
            if ((used >> to & 1U) != 0 || done() || !fits(at, to)) { continue; }
            order.push_back(to);
            extend(order, used | std::uint64_t{1} << to);
            order.pop_back();
            undo(at, to);
        }
    }

    // Wide ways first, then short ones, then by index behind this GPU (ncclTopoSearchNextGpuSort).
    const Order& nearest_first(std::uint16_t at) {
        if (sorted_.empty()) { sorted_.resize(n_); }
        Order& list = sorted_[at];
        if (list.empty()) {
            for (std::uint32_t i = 1; i < n_; ++i) { list.push_back(static_cast<std::uint16_t>((at + i) % n_)); }
            std::ranges::stable_sort(list, {}, [&](std::uint16_t to) {
                const Way& way = ways_[std::size_t{at} * n_ + to];
                return std::tuple{-way.rate, way.links.size()};
            });
        }
        return list;
    }

    const NodeBandwidths& p_;
    std::uint32_t n_;
    double speed_;
    std::size_t most_, bound_ = 0, wanted_ = 0;
    std::vector<Way> ways_;
    std::vector<double> room_;  // both ways of each cable, then each pair's NVLinks
    std::vector<Order> sorted_, rings_, best_;
    int steps_ = 0;
};

}  // namespace

bool partly_on_nvlink(const NodeBandwidths& p) {
    const bool bridges = p.node.nvlink == NvlinkShape::mesh && p.gpus > 2 && p.gpus <= 64;
    if (p.several() || !bridges || mesh_closes(p)) { return false; }
    for (std::uint32_t g = 1; g < p.gpus; ++g) {  // POWER's GPUs have NVLinks to their processor, and no PCIe
        if (p.places.links(0, g) == 0 && p.places.pcie(0, g) == PciePath::dis) { return false; }
    }
    return true;
}

int bridged_groups(const NodeBandwidths& p) {
    int groups = 0;
    for (std::uint32_t g = 0; p.node.nvlink == NvlinkShape::mesh && g < p.gpus; ++g) {
        bool joined = false, first = true;  // of its group
        for (std::uint32_t other = 0; other < p.gpus; ++other) {
            joined = joined || p.places.links(g, other) > 0;
            first = first && (other >= g || p.places.links(g, other) == 0);
        }
        groups += joined && first ? 1 : 0;
    }
    return groups;
}

std::vector<std::vector<std::uint16_t>> pcie_rings(const NodeBandwidths& p, double speed, int most) {
    const std::vector<std::vector<CableWay>> over_pcie = pcie_ways(p.node, p.gpus);
    for (const PciePath farthest : {PciePath::pix, PciePath::pxb, PciePath::phb, PciePath::sys}) {
        RingSearch search(p, over_pcie, speed, most, farthest);
        std::vector<Order> rings = search.alike();
        const bool only_alike =
            p.release.flags.rings_alike_on_amd && p.node.cpu_vendor == "amd" && farthest == PciePath::sys;
        if (!only_alike) {
            if (std::vector<Order> others = search.different(); others.size() > rings.size()) {
                rings = std::move(others);
            }
        }
        if (!rings.empty()) { return rings; }
    }
    return {};
}

}  // namespace fabricast::inline collectives::nccl
