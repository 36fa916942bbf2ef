#include "sim/plan/collectives/nccl/search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "sim/plan/collectives/nccl/hamilton.hpp"
#include "sim/plan/collectives/nccl/pcie_rings.hpp"

namespace fabricast::inline collectives::nccl {

namespace {

// Channels of one speed, as a search step finds them.
struct Solution {
    int channels = 0;
    double speed = 0;
    double product() const { return channels * speed; }
};

// Up to `most`: the search of a mesh's rings ends where it has found so many.
int channels_inside(const NodeBandwidths& p, double speed, int most) {
    if (p.gpus == 1) { return most; }
    if (p.node.nvlink == NvlinkShape::nvswitch) {
        const double load = p.several() && !p.ring_forwards ? (p.gpus - 1.0) / p.gpus : 1;
        return std::min(most, static_cast<int>(p.nvlink_total / (speed * load) + 1e-9));
    }
    if (p.ways_across) {  // as many as GPUs for each link that every pair has (Walecki)
        std::vector<int> capacity = mesh_capacity(p, speed);
        for (std::size_t g = 0; g < p.gpus; ++g) { capacity[g * (p.gpus + 1)] = most; }
        return std::min(most, static_cast<int>(p.gpus) * std::ranges::min(capacity));
    }
    if (mesh_closes(p)) { return static_cast<int>(hamiltonian_rings(p.gpus, mesh_capacity(p, speed), most).size()); }
    if (partly_on_nvlink(p)) { return static_cast<int>(pcie_rings(p, speed, most).size()); }
    const double narrowest = p.places.crosses_cpus ? std::min(p.pcie, p.inter_cpu) : p.pcie;
    return std::min(most, static_cast<int>(narrowest / speed + 1e-9));
}

int channels_at(const NodeBandwidths& p, double speed) {
    if (!p.several()) { return channels_inside(p, speed, p.most()); }
    const int outside = static_cast<int>(p.rails.size()) * static_cast<int>(std::min(p.port, p.pcie) / speed + 1e-9);
    return channels_inside(p, speed, std::min(outside, p.most()));
}

// Pass 1 of ncclTopoCompute: lowers the speed until a further step could not beat the best solution so far.
Solution first_pass(const std::vector<double>& speeds, double fastest, double total, int least,
                    const std::function<int(double)>& channels) {
    std::size_t i = 0;
    while (i + 1 < speeds.size() && (speeds[i] > fastest || speeds[i] * least > total)) { ++i; }
    Solution best;
    for (;; ++i) {
        const Solution now{channels(speeds[i]), speeds[i]};
        if (now.channels >= least && now.product() > best.product() * (1 + 1e-9)) { best = now; }
        const bool enough = best.product() >= total * (1 - 1e-9);
        if (enough || i + 1 >= speeds.size() || (best.channels > 0 && speeds[i + 1] / best.speed <= 0.49)) {
            return best;
        }
    }
}

// ncclTopoDupChannels: one block cannot keep a fast channel busy, so it is run as two channels of half the speed.
Solution duplicate(Solution s, int compute_capability, int most) {
    const bool keep = s.speed < 25e9 || (compute_capability > 80 && s.speed < 50e9 && s.channels > 4);
    const int twice = std::min(2 * s.channels, most);
    if (keep || twice == s.channels) { return s; }
    return {twice, s.speed / std::ceil(static_cast<double>(twice) / s.channels)};
}

Solution search_rings(const NodeBandwidths& p) {
    if (p.written_down > 0) {
        const double links = (p.gpus - 1) * p.release.number("mesh.link_rate");
        return {p.max_channels(), links / p.max_channels()};
    }
    const double fastest = p.several()                               ? std::min(p.port, p.pcie)
                           : p.nvlink_total > 0 && ring_on_nvlink(p) ? p.nvlink_total
                                                                     : p.pcie;
    const auto channels = [&](double speed) { return channels_at(p, speed); };
    const int least = p.release.flags.two_rings_of_two_bridges && bridged_groups(p) == 2 ? 2 : 1;
    Solution s = first_pass(p.speeds(), fastest, p.total(), least, channels);
    if (s.channels == 0) {  // NCCL's fallback: one slow ring
        return {1, 0.1e9};
    }
    s = duplicate(s, p.node.gpu.compute_capability, p.most());
    // Pass 2: the same channels at a higher speed, if they still fit.
    s.speed = p.raised(s.speed, [&](double next, double) { return next <= fastest && channels(next) >= s.channels; });
    return s;
}

// In each channel one GPU (the head) pulls from the switch, which loads its own link twice and all other links once.
Graph nvls_graph(const NodeBandwidths& p) {
    const int heads = std::min(static_cast<int>(p.gpus), static_cast<int>(p.release.number("nvls.max_heads")));
    const auto passes_nic = [&](double speed) { return !p.several() || std::min(p.port, p.pcie) >= speed; };
    Graph graph;
    for (const double speed : p.speeds()) {
        const int inside = static_cast<int>(p.nvlink_total / speed + 1e-9) - 1;
        const int found = passes_nic(speed) ? std::clamp(inside, 0, heads) : 0;
        if (found > graph.channels) {  // more heads are better; of equal numbers the faster
            graph.channels = found;
            graph.intra = graph.inter = speed;
        }
    }
    if (graph.channels < (p.several() ? 1 : heads)) { return {}; }
    // Pass 2 raises only the network's speed, while it is below twice the speed inside.
    graph.inter =
        p.raised(graph.inter, [&](double next, double now) { return now < 2 * graph.intra && passes_nic(next); });
    graph.same_channels = false;
    return graph;
}

int execution_channels(const NodeBandwidths& p, const TopologySearchResult& found, const Release& release,
                       const Environment& environment) {
    int channels = std::min(p.max_channels(), 2 * found.ring.channels);
    const bool few_and_fast =
        p.node.gpu.compute_capability >= 90 && p.several() && found.ring.intra > 45e9 && channels < 16;
    if (few_and_fast && release.flags.doubles_few_channels) { channels *= 2; }
    for (const int most : {environment.max_channels, environment.max_ctas}) {
        if (most > 0) { channels = std::min(channels, most); }
    }
    return std::min(std::max({channels, environment.min_channels, environment.min_ctas}), p.max_channels());
}

int power_of_two_up(int n) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(n, 1)))); }

// ncclTopoComputeP2pChannels, ncclTopoGetNchannels: two channels per NVLink to a peer; to a network peer two, or as
// many as its adapter's rate wants.
int channels_per_peer(const NodeBandwidths& p, int p2p_channels) {
    if (p.several()) {
        const bool scales = p.release.flags.scales_p2p_channels;
        return scales ? power_of_two_up(static_cast<int>(std::ceil(p.port / p.release.number("p2p.channel_rate")))) : 2;
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

bool nvls_possible(const NodeBandwidths& p, const Release& release, const Environment& environment) {
    return release.has("nvls") && p.node.nvlink == NvlinkShape::nvswitch && p.node.nvswitch_generation >= 3 &&
           p.node.gpu.compute_capability >= 90 && p.gpus >= release.number("nvls.min_gpus") &&
           environment.nvls_enable.value_or(true);
}

// What NVLSTree takes on nodes of Blackwell GPUs only, by the number of GPUs, the adapter's rate and whether it is near
// (src/transport/nvls.cc, ncclNvlsTreeSm100Tuning).
void tune_nvls_tree(const NodeBandwidths& p, TopologySearchResult& found) {
    constexpr double KiB = 1024;
    const bool near = p.places.nics > 0 && p.places.nic_path(0, p.rails.front()) <= PciePath::pxb;
    const bool fastest = p.port >= 96e9;
    const auto set = [&](int channels, double chunk, double most) {
        found.nvls_channels = channels;
        found.nvls_chunk = chunk;
        found.nvls_tree_chunk = most;
    };
    set(32, 128 * KiB, 0);
    if (p.port < 48e9) { return; }
    if (p.nodes == 2) {
        const bool short_chunks = p.gpus >= 16 || (p.gpus <= 8 && near && !fastest);
        p.gpus <= 4 ? set(32, 256 * KiB, 256 * KiB) : set(32, 128 * KiB, (short_chunks ? 64 : 128) * KiB);
    } else if (fastest) {
        p.gpus <= 8 ? set(24, 256 * KiB, 256 * KiB) : set(32, 128 * KiB, (p.gpus < 32 ? 128 : 64) * KiB);
    } else {
        set(24, 128 * KiB, (near ? 64 : 128) * KiB);
    }
}

// The node if GPUs may not map each other's memory at all: without NVLinks, for all traffic goes through the host.
NodeTemplate as_peers_reach(NodeTemplate node, const Environment& environment) {
    if (environment.peers && *environment.peers < PeerLevel::nvl) {
        node.nvlink = NvlinkShape::none;
        std::erase_if(node.cables, [](const NodeCable& cable) { return cable.link.family == LinkFamily::nvlink; });
    }
    return node;
}

// If a ring would have to leave over NVLink through another GPU to keep its rail, and PXN is off, the search takes the
// other NIC, unless NCCL_CROSS_NIC=0 keeps the ring on its rail.
Exit exit_of(const NodeBandwidths& p, const Environment& environment) {
    if (environment.cross_nic == 1) { return Exit::nearest; }
    const bool stuck = p.pxn_exit && ring_on_nvlink(p) && !environment.pxn;
    return stuck && environment.cross_nic.value_or(2) == 2 ? Exit::in_pairs : Exit::own_rail;
}

void lower_to(const Graph& other, Graph& graph) {
    graph.channels = std::min(graph.channels, other.channels);
    graph.intra = std::min(graph.intra, other.intra);
    graph.inter = std::min(graph.inter, other.inter);
    graph.same_channels = graph.same_channels && other.same_channels;
    graph.ll128 = graph.ll128 && other.ll128;
    graph.simple_tree = graph.simple_tree || other.simple_tree;
}

// RCCL has the rings of a whole node of GPUs that are all linked to each other written down.
int written_down(const NodeBandwidths& p, const Environment& environment) {
    const char* figure = p.several() ? "mesh.channels" : "mesh.channels_inside";
    if (!p.release.entry->has(figure) || !full_mesh(p) || p.gpus < p.node.gpus) { return 0; }
    // Of an odd number of nodes the last and the first meet on two rails, which a fabric of rails alone cannot join;
    // RCCL has other paths written down for its last two nodes.
    if (p.several() && (!nic_of_each(p) || (p.nodes % 2 != 0 && environment.cross_nic == 0))) { return 0; }
    return static_cast<int>(p.release.number(figure));
}

}  // namespace

Graph ring_graph(const TopologySearchResult& found, const NodeBandwidths&) { return found.ring; }

TopologySearchResult search(Algorithms algorithms, const NodeTemplate& node, std::uint32_t gpus, std::uint32_t nodes,
                            double port, const Release& release, const Environment& environment) {
    const NodeTemplate peers = as_peers_reach(node, environment);
    NodeBandwidths p = count_node(peers, gpus, nodes, port, release);
    p.written_down = written_down(p, environment);
    Exit exit = exit_of(p, environment);
    p.ring_forwards = p.pxn_exit && exit == Exit::own_rail;
    Solution rings = search_rings(p);
    if (p.ring_forwards && environment.cross_nic.value_or(2) == 2) {
        // Forwarding takes room on NVLink. Where that costs a channel, the search finds more with rings that change
        // rails (ncclTopoCompute tries crossNic 2 before it lowers the speed).
        NodeBandwidths across = p;
        across.ring_forwards = false;
        across.ways_across = full_mesh(p) && nics_of_each(p);
        if (const Solution more = search_rings(across); more.product() > rings.product() * (1 + 1e-9)) {
            rings = more;
            exit = Exit::in_pairs;
            p.ring_forwards = false;
            p.ways_across = across.ways_across;
        }
    }
    TopologySearchResult found;
    found.rings = ring_orders(p, rings.channels, rings.speed, exit);
    found.nvlink = p.gpus > 1 ? ring_on_nvlink(p) : peers.nvlink != NvlinkShape::none;
    found.nics = p.rails;
    found.ring = {.channels = rings.channels, .intra = rings.speed, .inter = rings.speed};
    const auto as_first = [&](const Ring& ring) { return ring.order == found.rings.front().order; };
    found.ring.same_channels = std::ranges::all_of(found.rings, as_first);
    found.ring.ll128 = !p.several() || std::ranges::all_of(found.rings, [&](const Ring& ring) {
        const bool from_hopper = node.gpu.compute_capability >= 90;  // LL128 trusts PXN
        return keeps_ll128(node, p.places, release, ring.order.front(), ring.nic) &&
               ((p.ring_forwards && from_hopper) ||
                keeps_ll128(node, p.places, release, ring.order.back(), ring.exit_nic));
    });
    // NVLS maps no peer's memory, so it works even if peers may not map each other's (src/transport/nvls.cc).
    const NodeBandwidths whole = count_node(node, gpus, nodes, port, release);
    if (nvls_possible(whole, release, environment)) {
        found.nvls = nvls_graph(whole);
        const Generation gpu = generation(node.gpu.compute_capability);
        const double channels = release.item_of("nvls.channels", gpu, whole.several() ? 1 : 0);
        found.nvls_channels = found.nvls.channels == 0 ? 0 : static_cast<int>(channels);
        if (found.nvls_channels > 0 && whole.several() && gpu == Generation::blackwell &&
            release.flags.tunes_nvls_tree) {
            tune_nvls_tree(whole, found);
        }
        found.nvls_own_channels = found.nvls_channels;
        if (found.nvls_channels > 0) {  // src/transport/nvls.cc, nvlsChannels
            if (environment.max_ctas > 0) { found.nvls_channels = std::min(found.nvls_channels, environment.max_ctas); }
            found.nvls_channels = std::max(found.nvls_channels, environment.min_ctas);
        }
    }
    for (const AlgorithmModel* algorithm : algorithms) { found.graphs[algorithm->key] = algorithm->graph(found, p); }
    const int asked = execution_channels(p, found, release, environment);
    const int raised = release.flags.raises_channels_to_nvls ? std::max(asked, found.nvls_channels) : asked;
    found.channels = release.flags.raises_rings_to_nvls ? raised : asked;
    found.p2p_channels = std::min(power_of_two_up(raised), 64);
    found.p2p_channels_per_peer = std::min(channels_per_peer(p, found.p2p_channels), found.p2p_channels);
    return found;
}

void lower_to(const TopologySearchResult& other, TopologySearchResult& found) {
    lower_to(other.ring, found.ring);
    lower_to(other.nvls, found.nvls);
    for (auto& [key, graph] : found.graphs) { lower_to(other.graphs.at(key), graph); }
    for (const auto count : {&TopologySearchResult::channels, &TopologySearchResult::nvls_channels,
                             &TopologySearchResult::nvls_own_channels, &TopologySearchResult::p2p_channels,
                             &TopologySearchResult::p2p_channels_per_peer}) {
        found.*count = std::min(found.*count, other.*count);
    }
    found.nvlink = found.nvlink && other.nvlink;
    const std::size_t rings = std::min(found.rings.size(), other.rings.size());
    found.rings.resize(rings);
    for (std::vector<Ring>& of_run : found.of_runs) { of_run.resize(std::min(of_run.size(), rings)); }
}

}  // namespace fabricast::inline collectives::nccl
