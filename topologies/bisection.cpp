#include "topologies/bisection.hpp"

#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>
#include <map>
#include <utility>

#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

namespace {

using Vertex = std::uint32_t;

using Capacities = std::map<std::pair<Vertex, Vertex>, double>;  // by the two ends; of parallel links together

double maximum_flow(const Capacities& capacities, Vertex vertices, Vertex source, Vertex sink) {
    using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
    using Graph = boost::adjacency_list<
        boost::vecS, boost::vecS, boost::directedS, boost::no_property,
        boost::property<boost::edge_capacity_t, std::int64_t,
                        boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                        boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;
    Graph graph(vertices);
    const auto capacity = boost::get(boost::edge_capacity, graph);
    const auto reverse = boost::get(boost::edge_reverse, graph);
    for (const auto& [ends, bytes_per_second] : capacities) {
        const auto there = boost::add_edge(ends.first, ends.second, graph).first;
        const auto back = boost::add_edge(ends.second, ends.first, graph).first;
        capacity[there] = std::llround(bytes_per_second);
        capacity[back] = 0;
        reverse[there] = back;
        reverse[back] = there;
    }
    return static_cast<double>(boost::push_relabel_max_flow(graph, source, sink));
}

constexpr double endless = 1e15;  // bytes per second: above any cut, but sums of it do not overflow

// A dragonfly with adaptive routing draws the local cables of a router as one link to its group and one from it. What
// crosses a cut through a group is the cables themselves, between the switches that are bought.
class CablesOfGroups {
public:
    explicit CablesOfGroups(const Fabric& fabric) : fabric_(fabric), kind_(fabric.cluster().fabric.kind) {}

    bool any() const {
        return fabric_.cluster().fabric.choice == PathChoice::adaptive &&
               (kind_ == FabricKind::dragonfly || kind_ == FabricKind::dragonfly_plus);
    }

    // Routers are numbered alike as drawn and as bought. A cable between two of a group is in the link from one and in
    // the link to the other, and is counted in the former.
    void add(LinkId trunk, Capacities& capacities) const {
        const FabricGenerator& generator = fabric_.generator();
        const LinkEnds ends = fabric_.ends(trunk);
        const LinkInfo info = fabric_.link(trunk);
        const std::uint32_t from = index(ends.from) - fabric_.first_switch();
        const bool of_group = kind_ == FabricKind::dragonfly && from >= generator.bought_switches();
        if (of_group && info.cls != LinkClass::global) { return; }
        for (std::uint32_t cable = 0; cable < ends.cables; ++cable) {
            const auto joined = generator.cable_ends(index(trunk) - fabric_.first_trunk(), cable);
            if (joined[0] != joined[1]) { capacities[{joined[0], joined[1]}] += info.capacity / ends.cables; }
        }
    }

private:
    const Fabric& fabric_;
    FabricKind kind_;
};

// Maximum flow between the NICs of the two halves of the nodes. Each half is a vertex; the others are switches.
double between_halves(const Fabric& fabric) {
    const std::uint32_t first_switch = fabric.first_switch();
    const Vertex source = std::max(fabric.device_count() - first_switch, fabric.generator().bought_switches());
    const Vertex sink = source + 1;
    const auto vertex = [&](DeviceId device) {
        return index(device) >= first_switch                               ? index(device) - first_switch
               : fabric.wired_node_of(device) < fabric.cluster().nodes / 2 ? source
                                                                           : sink;
    };
    Capacities capacities;
    const CablesOfGroups of_groups(fabric);
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        if (l >= fabric.first_trunk() && of_groups.any()) {
            of_groups.add(LinkId{l}, capacities);
            continue;
        }
        const bool inside = index(ends.from) < first_switch && index(ends.to) < first_switch &&
                            fabric.wired_node_of(ends.from) == fabric.wired_node_of(ends.to);
        if (!ends.resource && !inside && vertex(ends.to) != source && vertex(ends.from) != sink) {
            capacities[{vertex(ends.from), vertex(ends.to)}] += fabric.link(LinkId{l}).capacity;
        }
    }
    return maximum_flow(capacities, sink + 1, source, sink);
}

// Where the trunks between the halves are known in closed form, the NICs may still be the tighter limit.
double known_halves(const Fabric& fabric, double trunks) {
    const std::uint32_t half = fabric.cluster().nodes / 2;
    std::array<double, 2> nics{};  // of each half
    for (const NodeSpan& run : fabric.runs()) {
        double node = 0;
        for (std::uint32_t l = fabric.first_link(run.first); l < fabric.first_link(run.first + 1); ++l) {
            const LinkInfo info = fabric.link(LinkId{l});
            node += info.cls == LinkClass::nic_port ? info.capacity / 2 : 0;  // one direction of each port
        }
        const std::uint32_t end = run.first + run.nodes, in_first = std::min(end, half) - std::min(run.first, half);
        nics[0] += in_first * node;
        nics[1] += (std::min(end, 2 * half) - std::min(run.first, 2 * half) - in_first) * node;
    }
    return std::min({trunks, nics[0], nics[1]});
}

// The maximum flow inside a node, from its GPUs [0, split) to the others, over NVLink, PCIe and the CPU bus together.
double inside_node(const Fabric& fabric, std::uint32_t split) {
    const Vertex source = fabric.first_device(1);
    const Vertex sink = source + 1;
    Capacities capacities;
    for (std::uint32_t l = 0; l < fabric.first_link(1); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        const Vertex from = index(ends.from), to = index(ends.to);
        if (!ends.resource && from < source && to < source) {
            capacities[{from, to}] += fabric.link(LinkId{l}).capacity;
        }
    }
    for (std::uint32_t g = 0; g < fabric.gpus_per_node(); ++g) {
        const Vertex gpu = index(fabric.gpu(g));
        capacities[g < split ? std::pair{source, gpu} : std::pair{gpu, sink}] += endless;
    }
    return maximum_flow(capacities, sink + 1, source, sink);
}

}  // namespace

double bisection_bandwidth(const Fabric& fabric) {
    if (fabric.cluster().nodes == 1) { return inside_node(fabric, fabric.gpus_per_node() / 2); }
    const auto trunks = fabric.generator().trunks_between_halves();
    return trunks ? known_halves(fabric, *trunks) : between_halves(fabric);
}

}  // namespace fabricast::inline topologies
