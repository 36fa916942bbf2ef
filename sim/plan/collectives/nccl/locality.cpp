#include "sim/plan/collectives/nccl/locality.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <string>

namespace fabricast::inline collectives::nccl {

namespace {

// The node without its NVLinks: devices by name, and their neighbours.
struct PcieGraph {
    struct Neighbour {
        std::size_t device;
        CableWay way;
    };
    std::map<std::string, std::size_t> index;
    std::vector<std::vector<Neighbour>> next;
    std::vector<bool> cpu, pcie_switch;

    std::size_t device(const std::string& name) {
        const auto [at, fresh] = index.try_emplace(name, next.size());
        if (fresh) {
            next.emplace_back();
            cpu.push_back(name.starts_with("cpu"));
            pcie_switch.push_back(name.starts_with("switch"));
        }
        return at->second;
    }
};

// Whether the cable is an NVLink of the node. A NIC of an NVLink network is none: its cable shows which GPU it is near.
bool is_nvlink(const NodeCable& cable) {
    return cable.link.family == LinkFamily::nvlink && !cable.a.starts_with("nic") && !cable.b.starts_with("nic");
}

PcieGraph pcie_graph(const NodeTemplate& node) {
    PcieGraph graph;
    for (std::size_t i = 0; i < node.cables.size(); ++i) {
        const NodeCable& cable = node.cables[i];
        if (is_nvlink(cable)) { continue; }
        const std::size_t a = graph.device(cable.a);
        const std::size_t b = graph.device(cable.b);
        graph.next[a].push_back({b, {i, false}});
        graph.next[b].push_back({a, {i, true}});
    }
    return graph;
}

struct Walk {
    int hops = -1;  // -1: not reached
    int switches = 0, cpus = 0, between_cpus = 0;
    std::size_t from = 0;  // the device before
    CableWay last;         // the cable that leads here from it
};

// Breadth-first search; never through another GPU or NIC.
std::vector<Walk> walks_from(const PcieGraph& graph, std::size_t start) {
    std::vector<Walk> walk(graph.next.size());
    walk[start].hops = 0;
    std::queue<std::size_t> todo;
    todo.push(start);
    while (!todo.empty()) {
        const std::size_t at = todo.front();
        todo.pop();
        if (at != start && !graph.cpu[at] && !graph.pcie_switch[at]) { continue; }
        for (const auto& [next, way] : graph.next[at]) {
            if (walk[next].hops >= 0) { continue; }
            const bool between_cpus = graph.cpu[at] && graph.cpu[next];
            walk[next] = {walk[at].hops + 1,
                          walk[at].switches + (graph.pcie_switch[next] ? 1 : 0),
                          walk[at].cpus + (graph.cpu[next] ? 1 : 0),
                          walk[at].between_cpus + (between_cpus ? 1 : 0),
                          at,
                          way};
            todo.push(next);
        }
    }
    return walk;
}

PciePath type(const Walk& walk) {
    return walk.hops < 0           ? PciePath::dis
           : walk.between_cpus > 0 ? PciePath::sys
           : walk.cpus > 0         ? PciePath::phb
           : walk.switches > 1     ? PciePath::pxb
                                   : PciePath::pix;
}

// Each NIC goes to its nearest GPU; of equally near ones, to that with the fewest, so that two and two pair off.
std::vector<std::uint32_t> share_out(const Locality& l, const std::vector<int>& hops) {
    std::vector<std::uint32_t> owner(l.nics, 0);
    std::vector<int> served(l.gpus, 0);
    std::vector<std::uint32_t> gpus(l.gpus);
    std::iota(gpus.begin(), gpus.end(), 0U);
    for (std::uint32_t nic = 0; nic < l.nics; ++nic) {
        const auto rank = [&](std::uint32_t gpu) {
            const int distance = hops[gpu * l.nics + nic];
            return std::tuple{l.nic_path(gpu, nic), distance < 0 ? 1000 : distance, served[gpu], gpu};
        };
        owner[nic] = std::ranges::min(gpus, {}, rank);
        ++served[owner[nic]];
    }
    return owner;
}

}  // namespace

Locality locality(const NodeTemplate& node, std::uint32_t gpus) {
    Locality l;
    l.gpus = gpus;
    l.nics = node.nics;
    l.nvlinks.assign(std::size_t{gpus} * gpus, 0);
    l.gpu_to_gpu.assign(std::size_t{gpus} * gpus, PciePath::dis);
    l.gpu_to_nic.assign(std::size_t{gpus} * l.nics, PciePath::dis);
    std::map<std::string, std::uint32_t> gpu_index;
    for (std::uint32_t g = 0; g < gpus; ++g) { gpu_index["gpu" + std::to_string(g)] = g; }
    for (const NodeCable& cable : node.cables) {
        const auto a = gpu_index.find(cable.a);
        const auto b = gpu_index.find(cable.b);
        if (is_nvlink(cable) && a != gpu_index.end() && b != gpu_index.end()) {
            l.nvlinks[a->second * gpus + b->second] += cable.count;
            l.nvlinks[b->second * gpus + a->second] += cable.count;
        }
    }
    PcieGraph graph = pcie_graph(node);
    std::vector<int> hops(std::size_t{gpus} * l.nics, -1);
    for (std::uint32_t g = 0; g < gpus; ++g) {
        const std::size_t start = graph.device("gpu" + std::to_string(g));
        const std::vector<Walk> walk = walks_from(graph, start);
        const auto reached = [&](const std::string& name) {
            const auto found = graph.index.find(name);
            return found == graph.index.end() || found->second >= walk.size() ? Walk{} : walk[found->second];
        };
        for (std::uint32_t other = 0; other < gpus; ++other) {
            const PciePath path = other == g ? PciePath::pix : type(reached("gpu" + std::to_string(other)));
            l.gpu_to_gpu[g * gpus + other] = path;
            l.crosses_cpus = l.crosses_cpus || path >= PciePath::sys;
        }
        for (std::uint32_t nic = 0; nic < l.nics; ++nic) {
            const Walk walked = reached("nic" + std::to_string(nic));
            l.gpu_to_nic[g * l.nics + nic] = type(walked);
            hops[g * l.nics + nic] = walked.hops;
        }
    }
    l.nearest_gpu = share_out(l, hops);
    return l;
}

std::vector<std::vector<CableWay>> pcie_ways(const NodeTemplate& node, std::uint32_t gpus) {
    std::vector<std::vector<CableWay>> ways(std::size_t{gpus} * gpus);
    PcieGraph graph = pcie_graph(node);
    const auto device = [&](std::uint32_t gpu) { return graph.device("gpu" + std::to_string(gpu)); };
    for (std::uint32_t g = 0; g < gpus; ++g) { device(g); }  // also those that NVLinks join to their processor
    for (std::uint32_t g = 0; g < gpus; ++g) {
        const std::vector<Walk> walk = walks_from(graph, device(g));
        for (std::uint32_t other = 0; other < gpus; ++other) {
            for (std::size_t at = device(other); walk[at].hops > 0; at = walk[at].from) {
                ways[g * gpus + other].push_back(walk[at].last);
            }
        }
    }
    return ways;
}

bool keeps_ll128(const NodeTemplate& node, const Locality& places, const Release& release, std::uint32_t gpu,
                 std::uint32_t nic) {
    const PciePath path = places.nic_path(gpu, nic);
    return path <= PciePath::pxb || (path == PciePath::phb && node.cpu_vendor == "nvidia" &&
                                     node.gpu.compute_capability >= 90 && release.flags.ll128_over_c2c);
}

}  // namespace fabricast::inline collectives::nccl
