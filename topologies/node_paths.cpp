#include "topologies/node_paths.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace fabricast::inline topologies {

namespace {

constexpr std::uint16_t unreachable = std::numeric_limits<std::uint16_t>::max();

// Shortest paths between all devices over one kind of link, stored as the link into `to` on the path from `from`.
struct Trees {
    std::size_t devices = 0;
    std::vector<std::uint16_t> into;
    std::vector<std::uint16_t> hops;

    std::uint16_t link_into(std::size_t from, std::size_t to) const { return into[from * devices + to]; }
    bool reaches(std::size_t from, std::size_t to) const { return hops[from * devices + to] != unreachable; }
};

// Prefers fewest hops, then the widest bottleneck, then the link listed first. GPUs forward only over NVLink and only
// once (NCCL's NVB); NICs and memory never forward.
void grow_tree(Trees& trees, const NodeGraph& graph, const std::vector<std::vector<std::uint16_t>>& out,
               std::size_t source, bool nvlink) {
    std::vector<double> width(graph.devices.size(), 0);
    std::uint16_t* hops = &trees.hops[source * trees.devices];
    std::uint16_t* into = &trees.into[source * trees.devices];
    hops[source] = 0;
    width[source] = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> layer = {source};
    for (std::uint16_t hop = 1; !layer.empty(); ++hop) {
        std::vector<std::size_t> next;
        for (const std::size_t at : layer) {
            const DeviceKind kind = graph.devices[at].kind;
            const bool end = kind == DeviceKind::nic || kind == DeviceKind::host_memory || kind == DeviceKind::gpu;
            if (at != source && end && !(nvlink && kind == DeviceKind::gpu && hop == 2)) { continue; }
            for (const std::uint16_t l : out[at]) {
                const LocalLink& link = graph.links[l];
                const double w = std::min(width[at], link.info.capacity);
                if (hops[link.to] == unreachable) {
                    next.push_back(link.to);
                } else if (hops[link.to] != hop || w <= width[link.to]) {
                    continue;
                }
                hops[link.to] = hop;
                into[link.to] = l;
                width[link.to] = w;
            }
        }
        std::sort(next.begin(), next.end());
        layer = std::move(next);
    }
}

Trees grow_trees(const NodeGraph& graph, bool nvlink) {
    std::vector<std::vector<std::uint16_t>> out(graph.devices.size());
    for (std::size_t l = 0; l < graph.links.size(); ++l) {
        const LocalLink& link = graph.links[l];
        if (!link.resource && link.nvlink == nvlink) { out[link.from].push_back(static_cast<std::uint16_t>(l)); }
    }
    Trees trees{graph.devices.size(), {}, {}};
    trees.into.assign(graph.devices.size() * graph.devices.size(), unreachable);
    trees.hops = trees.into;
    for (std::size_t source = 0; source < graph.devices.size(); ++source) {
        grow_tree(trees, graph, out, source, nvlink);
    }
    return trees;
}

// Fills the path tables of a graph whose devices and links are complete.
class Tabulator {
public:
    Tabulator(NodeGraph& graph, const NodeTemplate& node, SharedResources shared)
        : graph_(graph),
          node_(node),
          shared_(std::move(shared)),
          host_(grow_trees(graph, false)),
          nvlink_(grow_trees(graph, true)) {}

    void tabulate() {
        tabulate_gpu_pairs();
        find_near_nics();
        for (std::size_t from = 0; from < graph_.devices.size(); ++from) {
            for (std::size_t to = 0; to < graph_.devices.size(); ++to) {
                graph_.best_paths.push_back(best_path(from, to));
            }
        }
    }

private:
    bool is_gpu(std::size_t device) const { return device < graph_.gpus; }
    bool is_nic(std::size_t device) const { return device >= graph_.gpus && device < graph_.ends; }

    LocalPath store(const std::vector<std::uint16_t>& walked) {
        LocalPath path{
            static_cast<std::uint32_t>(graph_.pool.size()), static_cast<std::uint16_t>(walked.size()), true, {}};
        graph_.pool.insert(graph_.pool.end(), walked.begin(), walked.end());
        for (const std::uint16_t link : walked) { path.latency += graph_.links[link].info.latency; }
        return path;
    }

    // Walks back from `to` and adds a shared resource each time the path touches its device or link. Writes between
    // GPUs do not count against the shared capacity of AMD's root ports: two A100 exchange 43.4 GB/s through ports that
    // reach only 29 to 38 GB/s for a NIC or for host copies (sendrecv of nccl-tests, inside a node and between two,
    // with A100 PCIe cards). They do count for Intel's, which split the TLPs: two V100 exchange 18.6 GB/s of 2 x 11.05
    // (p2pBandwidthLatencyTest). docs/models.md, "Duplex interference".
    LocalPath walk(const Trees& trees, std::size_t from, std::size_t to) {
        if (!trees.reaches(from, to)) { return {}; }
        const bool writes_only = is_gpu(from) && is_gpu(to) && node_.cpu_vendor == "amd";
        std::vector<std::uint16_t> reversed;
        const auto touch = [&](std::uint16_t resource) {
            if (resource != SharedResources::none) { reversed.push_back(resource); }
        };
        for (std::size_t at = to; at != from;) {
            const std::uint16_t link = trees.link_into(from, at);
            touch(shared_.of_device[at]);
            touch(writes_only ? SharedResources::none : shared_.of_link[link]);
            reversed.push_back(link);
            at = graph_.links[link].from;
        }
        if (from != to) { touch(shared_.of_device[from]); }
        std::reverse(reversed.begin(), reversed.end());
        return store(reversed);
    }

    LocalPath join(const LocalPath& a, const LocalPath& b) {
        if (!a.found || !b.found) { return {}; }
        std::vector<std::uint16_t> both;
        for (const LocalPath* path : {&a, &b}) {
            const auto links = graph_.span(*path);
            both.insert(both.end(), links.begin(), links.end());
        }
        return store(both);
    }

    // The host memory nearest to a device (the first CPU that it reaches if there is none), or `unreachable`.
    std::uint16_t host_of(std::size_t device) const {
        const std::uint16_t* const hops = &host_.hops[device * host_.devices];
        std::uint16_t best = unreachable;
        for (const DeviceKind kind : {DeviceKind::host_memory, DeviceKind::cpu}) {
            for (std::size_t d = graph_.ends; d < graph_.devices.size(); ++d) {
                const bool nearer = best == unreachable || (kind == DeviceKind::host_memory && hops[d] < hops[best]);
                if (graph_.devices[d].kind == kind && hops[d] != unreachable && nearer) {
                    best = static_cast<std::uint16_t>(d);
                }
            }
            if (best != unreachable) { break; }
        }
        return best;
    }

    LocalPath stage(std::size_t from, std::size_t to) {
        const std::uint16_t host = host_of(is_gpu(to) ? to : from);
        return host == unreachable ? LocalPath{} : join(walk(host_, from, host), walk(host_, host, to));
    }

    void tabulate_gpu_pairs() {
        for (std::size_t from = 0; from < graph_.ends; ++from) {
            for (std::size_t to = 0; to < graph_.ends; ++to) {
                const bool same = from == to;
                if (is_gpu(from) && is_gpu(to)) {
                    graph_.nvlink_paths.push_back(same ? LocalPath{} : walk(nvlink_, from, to));
                }
                graph_.pcie_paths.push_back(walk(host_, from, to));
                graph_.staged_paths.push_back(same ? LocalPath{} : stage(from, to));
            }
        }
    }

    std::pair<int, std::uint16_t> distance(std::size_t gpu, std::size_t nic) const {
        const LocalPath& path = graph_.pcie(gpu, nic);
        return {path.found ? graph_.bridges_crossed(path) : std::numeric_limits<int>::max(), path.count};
    }

    void find_near_nics() {
        graph_.near_nics.resize(graph_.gpus);
        for (std::size_t gpu = 0; gpu < graph_.gpus && graph_.ends > graph_.gpus; ++gpu) {
            auto least = distance(gpu, graph_.gpus);
            for (std::size_t nic = graph_.gpus; nic < graph_.ends; ++nic) {
                least = std::min(least, distance(gpu, nic));
            }
            for (std::size_t nic = graph_.gpus; nic < graph_.ends; ++nic) {
                if (distance(gpu, nic) == least && graph_.pcie(gpu, nic).found) {
                    graph_.near_nics[gpu].push_back(static_cast<std::uint16_t>(nic - graph_.gpus));
                }
            }
            if (graph_.near_nics[gpu].empty()) {
                throw ClusterError("node '{}': gpu{} reaches no NIC", node_.name, gpu);
            }
        }
        for (std::size_t gpu = 0; gpu < graph_.gpus && graph_.ends > graph_.gpus; ++gpu) {
            graph_.nearest_nic.push_back(deal_out(gpu));
        }
    }

    // GPUs with the same near NICs share them in order: 2 GPUs, 2 NICs: one each; 4 GPUs, 2 NICs: two GPUs per NIC.
    std::uint16_t deal_out(std::size_t gpu) const {
        const auto& near = graph_.near_nics[gpu];
        std::size_t sharers = 0;
        std::size_t place = 0;
        for (std::size_t other = 0; other < graph_.gpus; ++other) {
            if (graph_.near_nics[other] == near) {
                place += other < gpu ? 1 : 0;
                ++sharers;
            }
        }
        return near[place * near.size() / sharers];
    }

    // NCCL allows P2P up to PXB, and through an AMD host bridge if there are at most two GPUs; otherwise it stages
    // through shared host memory (src/graph/paths.cc, ncclTopoCheckP2p).
    LocalPath best_gpu_pair(std::size_t from, std::size_t to) {
        if (graph_.nvlink(from, to).found) { return graph_.nvlink(from, to); }
        const LocalPath& direct = graph_.pcie(from, to);
        const bool near =
            direct.found && (graph_.bridges_crossed(direct) == 0 || (node_.cpu_vendor == "amd" && graph_.gpus <= 2));
        const LocalPath& staged = graph_.staged(from, to);
        return (near && node_.peer_to_peer) || (direct.found && !staged.found && node_.peer_to_peer) ? direct : staged;
    }

    bool is_near(std::size_t gpu, std::size_t nic) const {
        const auto& near = graph_.near_nics[gpu];
        return std::find(near.begin(), near.end(), nic - graph_.gpus) != near.end();
    }

    LocalPath best_to_nic(std::size_t gpu, std::size_t nic) {
        const LocalPath direct = graph_.pcie(gpu, nic);
        if (direct.found && graph_.bridges_crossed(direct) == 0) { return direct; }
        // PXN: forward through the GPU that has this NIC as its nearest, else through the first GPU near the NIC. Near
        // means no host bridge between them; if `gpu` has no PCIe path to the NIC, because it is in another tray, it
        // means a GPU that counts the NIC among its near NICs.
        std::optional<std::size_t> proxy;
        for (std::size_t other = 0; other < graph_.gpus; ++other) {
            const LocalPath& last = graph_.pcie(other, nic);
            const bool near = direct.found ? graph_.bridges_crossed(last) == 0 : is_near(other, nic);
            const bool beside = last.found && near && graph_.nvlink(gpu, other).found;
            const bool own = graph_.nearest_nic[other] == nic - graph_.gpus;
            if (beside && (!proxy || (own && graph_.nearest_nic[*proxy] != nic - graph_.gpus))) { proxy = other; }
        }
        return proxy ? join(graph_.nvlink(gpu, *proxy), graph_.pcie(*proxy, nic)) : direct;
    }

    LocalPath best_path(std::size_t from, std::size_t to) {
        if (from == to) { return store({}); }
        if (is_gpu(from) && is_gpu(to)) { return best_gpu_pair(from, to); }
        if (is_gpu(from) && is_nic(to)) { return best_to_nic(from, to); }
        const LocalPath path = walk(nvlink_, from, to);
        return path.found ? path : walk(host_, from, to);
    }

    NodeGraph& graph_;
    const NodeTemplate& node_;
    SharedResources shared_;
    Trees host_, nvlink_;
};

}  // namespace

NodeGraph node_graph_with_paths(const NodeTemplate& node) {
    auto [graph, shared] = make_node_graph(node);
    Tabulator(graph, node, std::move(shared)).tabulate();
    return std::move(graph);
}

}  // namespace fabricast::inline topologies
