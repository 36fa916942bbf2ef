#include "topologies/flatten.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>

namespace fabricast {

FlatGraph flatten(const Fabric& fabric) {
    FlatGraph graph;
    graph.devices = fabric.device_count();
    graph.links.reserve(fabric.link_count());
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        graph.links.push_back({LinkId{l}, fabric.ends(LinkId{l}), fabric.link(LinkId{l})});
    }
    return graph;
}

std::vector<LinkId> shortest_path(const FlatGraph& graph, const Fabric& fabric, DeviceId from, DeviceId to,
                                  const std::vector<LinkClass>& over) {
    using Boost = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                        boost::property<boost::edge_index_t, std::size_t>>;
    const auto forwards = [&](DeviceId device) {
        const DeviceKind kind = fabric.kind(device);
        return device == from ||
               (kind != DeviceKind::gpu && kind != DeviceKind::nic && kind != DeviceKind::host_memory);
    };
    Boost boost_graph(graph.devices);
    for (std::size_t l = 0; l < graph.links.size(); ++l) {
        const FlatLink& link = graph.links[l];
        const bool used = std::find(over.begin(), over.end(), link.info.cls) != over.end();
        if (used && !link.ends.resource && forwards(link.ends.from)) {
            boost::add_edge(static_cast<std::size_t>(link.ends.from), static_cast<std::size_t>(link.ends.to), l,
                            boost_graph);
        }
    }
    const auto vertex = boost::get(boost::vertex_index, boost_graph);
    std::vector<Boost::edge_descriptor> into(graph.devices);
    std::vector<std::uint32_t> hops(graph.devices, 0);
    const auto record = boost::make_bfs_visitor(std::make_pair(
        boost::record_edge_predecessors(boost::make_iterator_property_map(into.begin(), vertex), boost::on_tree_edge()),
        boost::record_distances(boost::make_iterator_property_map(hops.begin(), vertex), boost::on_tree_edge())));
    boost::breadth_first_search(boost_graph, static_cast<std::size_t>(from), boost::visitor(record));

    std::vector<LinkId> path;
    for (auto at = static_cast<std::size_t>(to); hops[at] > 0; at = boost::source(into[at], boost_graph)) {
        path.push_back(graph.links[boost::get(boost::edge_index, boost_graph, into[at])].id);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace fabricast
