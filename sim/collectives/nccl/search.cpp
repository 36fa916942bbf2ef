#include "sim/collectives/nccl/search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include "sim/collectives/nccl/hamilton.hpp"

namespace fabricast::nccl {

namespace {

// Channels of one speed, as a search step finds them.
struct Solution {
    int channels = 0;
    double speed = 0;
    double product() const { return channels * speed; }
};

struct Problem {
    const NodeTemplate& node;
    const SearchTables& tables;
    Locality places;
    std::uint32_t gpus = 1, nodes = 1;
    double nvlink_total = 0;  // per GPU and direction, as NCCL counts it
    double per_link = 0;
    double pcie = 0;  // one GPU's slot
    double inter_cpu = 0;
    double port = 0;        // one rail
    bool pxn_exit = false;  // a ring leaves through another GPU's NIC
    std::vector<std::uint16_t> rails;

    bool several() const { return nodes > 1; }
    int most() const { return tables.max_channels / 2; }
    double total() const { return std::max(pcie, nvlink_total); }
};

double nvlink_speed(const SearchTables& t, int cc) {
    return cc >= 100  ? t.nvlink_sm100
           : cc >= 90 ? t.nvlink_sm90
           : cc == 86 ? t.nvlink_sm86
           : cc >= 80 ? t.nvlink_sm80
           : cc >= 70 ? t.nvlink_sm70
                      : t.nvlink_sm60;
}

// NCCL reads generation and width from sysfs and counts a rounder figure; here the slot's line rate tells them apart.
double pcie_speed(const SearchTables& t, const NodeTemplate& node) {
    double slowest = 0;
    for (const NodeCable& cable : node.cables) {
        const bool at_gpu = cable.a.starts_with("gpu") || cable.b.starts_with("gpu");
        if (at_gpu && (cable.link.family == LinkFamily::pcie || cable.link.family == LinkFamily::c2c)) {
            const double rate = cable.link.rate.bytes_per_second();
            slowest = slowest == 0 ? rate : std::min(slowest, rate);
        }
    }
    double best = t.pci_lane.front() * 16;
    for (const double lane : t.pci_lane) {
        // NCCL's figure is 0.75 of the raw bits, the line rate after 128b/130b is 0.985 of them.
        if (std::abs(lane * 16 / 0.762 - slowest) < std::abs(best / 0.762 - slowest)) {
            best = lane * 16;
        }
    }
    return best;
}

double between_cpus(const SearchTables& t, const std::string& vendor) {
    return vendor == "amd"      ? t.inter_cpu_amd
           : vendor == "ibm"    ? t.inter_cpu_power
           : vendor == "nvidia" ? t.inter_cpu_arm
                                : t.inter_cpu_intel;
}

// The rails NCCL uses: the NICs that are nearest to some GPU; more than one a GPU act as one (as plugins merge them).
std::vector<std::uint16_t> rails_of(const Locality& places) {
    PciePath nearest = PciePath::sys;
    for (std::uint32_t nic = 0; nic < places.nics; ++nic) {
        nearest = std::min(nearest, places.nic_path(places.nearest_gpu[nic], nic));
    }
    std::vector<std::uint16_t> rails;
    for (std::uint32_t nic = 0; nic < places.nics; ++nic) {
        if (places.nic_path(places.nearest_gpu[nic], nic) == nearest) {
            rails.push_back(static_cast<std::uint16_t>(nic));
        }
    }
    return rails;
}

Problem problem(const NodeTemplate& node, std::uint32_t gpus, std::uint32_t nodes, double port,
                const SearchTables& tables) {
    Problem p{
        .node = node, .tables = tables, .places = locality(node, gpus), .gpus = gpus, .nodes = nodes, .rails = {}};
    p.per_link = nvlink_speed(tables, node.gpu.compute_capability);
    p.nvlink_total = node.nvlink == NvlinkShape::none ? 0 : node.gpu.nvlinks * p.per_link;
    p.pcie = pcie_speed(tables, node);
    p.inter_cpu = between_cpus(tables, node.cpu_vendor);
    if (nodes > 1) {
        p.rails = rails_of(p.places);
        const double used = std::min<double>(static_cast<double>(p.rails.size()), gpus);
        p.port = port * static_cast<double>(p.rails.size()) / used;
        // Two GPUs beside a rail: the ring comes in by one and leaves by the other, else it leaves over NVLink (PXN).
        for (const std::uint16_t nic : p.rails) {
            std::uint32_t beside = 0;
            for (std::uint32_t g = 0; g < gpus; ++g) {
                beside += p.places.nic_path(g, nic) <= PciePath::pxb ? 1 : 0;
            }
            p.pxn_exit = p.pxn_exit || (gpus > 1 && beside < 2);
        }
    }
    return p;
}

std::vector<int> mesh_capacity(const Problem& p, double speed) {
    std::vector<int> capacity(p.places.nvlinks.size());
    std::transform(p.places.nvlinks.begin(), p.places.nvlinks.end(), capacity.begin(),
                   [&](int links) { return static_cast<int>(links * p.per_link / speed + 1e-9); });
    return capacity;
}

// Whether every GPU reaches the next over NVLink in some ring.
bool mesh_closes(const Problem& p) {
    return p.node.nvlink == NvlinkShape::mesh && p.gpus > 1 &&
           !hamiltonian_rings(p.gpus, mesh_capacity(p, p.per_link), 1).empty();
}

bool ring_on_nvlink(const Problem& p) {
    return p.gpus == 1 || p.node.nvlink == NvlinkShape::nvswitch || mesh_closes(p);
}

int channels_inside(const Problem& p, double speed) {
    const int most = p.most();
    if (p.gpus == 1) {
        return most;
    }
    if (p.node.nvlink == NvlinkShape::nvswitch) {
        const double load = p.several() && !p.pxn_exit ? (p.gpus - 1.0) / p.gpus : 1;
        return std::min(most, static_cast<int>(p.nvlink_total / (speed * load) + 1e-9));
    }
    if (mesh_closes(p)) {
        return static_cast<int>(hamiltonian_rings(p.gpus, mesh_capacity(p, speed), most).size());
    }
    const double narrowest = p.places.crosses_cpus ? std::min(p.pcie, p.inter_cpu) : p.pcie;
    return std::min(most, static_cast<int>(narrowest / speed + 1e-9));
}

int channels_at(const Problem& p, double speed) {
    const int inside = channels_inside(p, speed);
    if (!p.several()) {
        return inside;
    }
    const double rails = std::min<double>(static_cast<double>(p.rails.size()), p.gpus);
    const int outside = static_cast<int>(rails) * static_cast<int>(std::min(p.port, p.pcie) / speed + 1e-9);
    return std::min({inside, outside, p.most()});
}

// Pass 1 of ncclTopoCompute: slower and slower until another step could not beat what is held.
Solution first_pass(const std::vector<double>& speeds, double fastest, double total, int least,
                    const std::function<int(double)>& channels) {
    std::size_t i = 0;
    while (i + 1 < speeds.size() && (speeds[i] > fastest || speeds[i] * least > total)) {
        ++i;
    }
    Solution best;
    for (;; ++i) {
        const Solution now{channels(speeds[i]), speeds[i]};
        if (now.channels >= least && now.product() > best.product() * (1 + 1e-9)) {
            best = now;
        }
        const bool enough = best.product() >= total * (1 - 1e-9);
        if (enough || i + 1 >= speeds.size() || (best.channels > 0 && speeds[i + 1] / best.speed <= 0.49)) {
            return best;
        }
    }
}

// ncclTopoDupChannels: a fast channel is more than one block can move, so it is run as two of half the speed.
Solution duplicate(Solution s, int compute_capability, int most) {
    const bool keep = s.speed < 25e9 || (compute_capability > 80 && s.speed < 50e9 && s.channels > 4);
    const int twice = std::min(2 * s.channels, most);
    if (keep || twice == s.channels) {
        return s;
    }
    return {twice, s.speed / ((twice + s.channels - 1) / s.channels)};
}

// Pass 2: the same channels a little faster, where they fit.
Solution second_pass(Solution s, const std::vector<double>& speeds, double fastest,
                     const std::function<int(double)>& channels) {
    for (auto speed = speeds.rbegin(); speed != speeds.rend(); ++speed) {
        if (*speed > s.speed && *speed <= fastest && channels(*speed) >= s.channels) {
            s.speed = *speed;
        }
    }
    return s;
}

const std::vector<double>& speeds_of(const Problem& p) {
    const int cc = p.node.gpu.compute_capability;
    const std::size_t era = cc >= 100 ? 2 : cc >= 90 ? 1 : 0;
    return p.several() ? p.tables.inter[era] : p.tables.intra[era];
}

Solution search_rings(const Problem& p) {
    const double fastest = p.several()                               ? std::min(p.port, p.pcie)
                           : p.nvlink_total > 0 && ring_on_nvlink(p) ? p.nvlink_total
                                                                     : p.pcie;
    const auto channels = [&](double speed) { return channels_at(p, speed); };
    const std::vector<double>& speeds = speeds_of(p);
    Solution s = first_pass(speeds, fastest, p.total(), 1, channels);
    if (s.channels == 0) {  // NCCL's fall-back: one slow ring
        return {1, 0.1e9};
    }
    s = duplicate(s, p.node.gpu.compute_capability, p.most());
    return second_pass(s, speeds, fastest, channels);
}

Graph ring_graph(const Solution& s) { return {.channels = s.channels, .intra = s.speed, .inter = s.speed}; }

// The tree keeps the ring's channels; inside the node they may run faster (up to twice the network's speed).
Graph tree_graph(const Problem& p, const Graph& ring) {
    Graph tree = ring;
    tree.simple_tree = p.several() && p.pxn_exit && p.node.gpu.compute_capability >= 90;
    if (p.several() && p.gpus > 1 && p.node.nvlink == NvlinkShape::nvswitch) {
        const std::vector<double>& speeds = speeds_of(p);
        for (auto speed = speeds.rbegin(); speed != speeds.rend(); ++speed) {
            const double load = ring.channels * (p.gpus - 1.0) / p.gpus;
            if (*speed > tree.intra && tree.intra < 2 * tree.inter && *speed * load <= p.nvlink_total) {
                tree.intra = *speed;
            }
        }
    }
    return tree;
}

// Each channel is one GPU (a head) pulling from the switch: it loads its own link twice, all others once.
Graph nvls_graph(const Problem& p, int most_heads) {
    const std::vector<double>& speeds = speeds_of(p);
    const int heads = std::min(static_cast<int>(p.gpus), most_heads);
    const auto channels = [&](double speed) {
        const int inside = static_cast<int>(p.nvlink_total / speed + 1e-9) - 1;
        const bool outside = !p.several() || std::min(p.port, p.pcie) >= speed;
        return outside ? std::clamp(inside, 0, heads) : 0;
    };
    Graph graph;
    for (const double speed : speeds) {
        const int found = channels(speed);
        if (found > graph.channels) {  // the more heads the better, faster ones first
            graph.channels = found;
            graph.intra = graph.inter = speed;
        }
    }
    if (graph.channels < (p.several() ? 1 : heads)) {
        return {};
    }
    // Pass 2 raises only the network side, up to twice the inside.
    for (auto speed = speeds.rbegin(); speed != speeds.rend(); ++speed) {
        const bool fits = !p.several() || std::min(p.port, p.pcie) >= *speed;
        if (*speed > graph.inter && graph.inter < 2 * graph.intra && fits) {
            graph.inter = *speed;
        }
    }
    graph.same_channels = false;
    return graph;
}

// In a ring on this rail: in by the GPU that owns the NIC, out by another GPU beside it where there is one, all others
// in index order between. The index order is that of the node template, which lists GPUs by place, as NCCL sorts them.
std::vector<std::uint16_t> rail_order(const Problem& p, std::uint16_t nic) {
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
void turn_to(const Problem& p, std::uint16_t nic, std::vector<std::uint16_t>& cycle) {
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

std::vector<Ring> ring_orders(const Problem& p, const Solution& s) {
    std::vector<std::vector<std::uint16_t>> cycles;
    if (mesh_closes(p)) {
        cycles = hamiltonian_rings(p.gpus, mesh_capacity(p, s.speed), s.channels);
    }
    std::vector<std::uint16_t> in_order(p.gpus);
    std::iota(in_order.begin(), in_order.end(), std::uint16_t{0});
    std::vector<Ring> rings;
    for (std::size_t c = 0; c < static_cast<std::size_t>(s.channels); ++c) {
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

int execution_channels(const Problem& p, const Found& found, const Release& release, const Environment& environment) {
    const Graph& ring = found.graphs[index(Algo::ring)];
    int channels = std::min(p.tables.max_channels, 2 * ring.channels);
    const bool few_and_fast = p.node.gpu.compute_capability >= 90 && p.several() && ring.intra > 45e9 && channels < 16;
    if (few_and_fast && at_least(release.version, 18)) {
        channels *= 2;
    }
    if (environment.max_channels > 0) {
        channels = std::min(channels, environment.max_channels);
    }
    channels = std::min(std::max(channels, environment.min_channels), p.tables.max_channels);
    return std::max(channels, found.nvls_channels);
}

int power_of_two_up(int n) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(n, 1)))); }

// ncclTopoComputeP2pChannels, ncclTopoGetNchannels: two channels per NVLink to a peer, two to a network peer.
int channels_per_peer(const Problem& p, int p2p_channels) {
    if (p.several()) {
        return 2;
    }
    if (p.node.nvlink == NvlinkShape::nvswitch) {
        return std::min(p2p_channels, power_of_two_up(std::min(p2p_channels, 2 * p.node.gpu.nvlinks)));
    }
    int least = p2p_channels;
    for (std::uint32_t a = 0; a < p.gpus; ++a) {
        for (std::uint32_t b = 0; b < p.gpus; ++b) {
            least = a == b ? least : std::min(least, 2 * std::max(1, p.places.links(a, b)));
        }
    }
    return power_of_two_up(least);
}

bool nvls_possible(const Problem& p, const Release& release, const Environment& environment) {
    return release.tuning.has[index(Algo::nvls)] && p.node.nvlink == NvlinkShape::nvswitch &&
           p.node.nvswitch_generation >= 3 && p.node.gpu.compute_capability >= 90 && p.gpus > 1 &&
           environment.nvls_enable.value_or(true);
}

}  // namespace

Found search(const NodeTemplate& node, std::uint32_t gpus, std::uint32_t nodes, double port, const Release& release,
             const Environment& environment) {
    const Problem p = problem(node, gpus, nodes, port, release.search);
    const Solution rings = search_rings(p);
    Found found;
    found.rings = ring_orders(p, rings);
    found.nvlink = p.gpus > 1 ? ring_on_nvlink(p) : node.nvlink != NvlinkShape::none;
    found.nics = p.rails;
    found.graphs[index(Algo::ring)] = ring_graph(rings);
    found.graphs[index(Algo::tree)] = tree_graph(p, found.graphs[index(Algo::ring)]);
    found.graphs[index(Algo::pat)] = found.graphs[index(Algo::collnet_chain)] = found.graphs[index(Algo::ring)];
    if (nvls_possible(p, release, environment)) {
        const int most_heads = at_least(release.version, 21) ? 32 : 8;  // NCCL_MAX_NVLS_ARITY
        const Graph graph = nvls_graph(p, most_heads);
        found.graphs[index(Algo::nvls)] = found.graphs[index(Algo::nvls_tree)] = graph;
        found.nvls_heads = graph.channels;
        const std::size_t column = p.several() ? 1 : 0;
        const bool blackwell = node.gpu.compute_capability >= 100;
        const BufferTables& b = release.buffers;
        found.nvls_channels = graph.channels == 0 ? 0
                                                  : static_cast<int>(blackwell ? b.nvls_channels_blackwell[column]
                                                                               : b.nvls_channels_hopper[column]);
    }
    if (node.nvlink == NvlinkShape::nvswitch) {
        Graph direct = found.graphs[index(Algo::ring)];
        direct.channels = static_cast<int>(std::max<std::size_t>(p.rails.size(), 1));
        found.graphs[index(Algo::collnet_direct)] = direct;
    }
    found.channels = execution_channels(p, found, release, environment);
    found.p2p_channels = std::min(power_of_two_up(found.channels), 64);
    found.p2p_channels_per_peer = std::min(channels_per_peer(p, found.p2p_channels), found.p2p_channels);
    return found;
}

}  // namespace fabricast::nccl
