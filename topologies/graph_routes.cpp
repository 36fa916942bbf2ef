#include "topologies/graph_routes.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>

#include "base/hash.hpp"

namespace fabricast::inline topologies {

GraphRoutes::GraphRoutes(std::uint32_t forwarders, std::uint32_t ends, const std::vector<GraphLink>& links)
    : forwarders_(forwarders), links_(links), out_(forwarders + ends), into_end_(forwarders + ends) {
    for (std::uint32_t l = 0; l < links_.size(); ++l) {
        out_[links_[l].from].push_back(l);
        if (links_[l].from < forwarders_) { into_end_[links_[l].to].push_back(links_[l].from); }
    }
    measure();
}

void GraphRoutes::measure() {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(forwarders_);
    for (const GraphLink& link : links_) {
        if (link.from < forwarders_ && link.to < forwarders_) { boost::add_edge(link.from, link.to, graph); }
    }
    hops_.assign(static_cast<std::size_t>(forwarders_) * forwarders_, unreachable);
    for (std::uint32_t source = 0; source < forwarders_; ++source) {
        std::uint16_t* row = &hops_[static_cast<std::size_t>(source) * forwarders_];
        row[source] = 0;
        const auto count = boost::record_distances(row, boost::on_tree_edge());
        boost::breadth_first_search(graph, source, boost::visitor(boost::make_bfs_visitor(count)));
    }
}

// Number of links from `at` to `to`; ends other than `to` do not forward.
std::uint32_t GraphRoutes::hops(std::uint32_t at, std::uint32_t to) const {
    if (at == to) { return 0; }
    if (at >= forwarders_) { return unreachable; }
    const std::uint16_t* row = &hops_[static_cast<std::size_t>(at) * forwarders_];
    if (to < forwarders_) { return row[to]; }
    std::uint32_t least = unreachable;
    for (const std::uint32_t last : into_end_[to]) {
        least = std::min<std::uint32_t>(least, row[last] == unreachable ? unreachable : row[last] + 1U);
    }
    return least;
}

std::uint32_t GraphRoutes::next_link(std::uint32_t at, std::uint32_t to, std::uint64_t flow_hash) const {
    std::uint32_t least = unreachable;
    std::uint32_t equal = 0;
    for (const std::uint32_t link : out_[at]) {
        const std::uint32_t left = hops(links_[link].to, to);
        equal = left < least ? 1 : equal + (left == least && left != unreachable ? 1 : 0);
        least = std::min(least, left);
    }
    if (least == unreachable) { return no_link; }
    std::uint32_t chosen = pick(flow_hash, at, equal);
    for (const std::uint32_t link : out_[at]) {
        if (hops(links_[link].to, to) == least && chosen-- == 0) { return link; }
    }
    return no_link;
}

std::uint32_t GraphRoutes::longest_route() const {
    std::uint32_t longest = 0;
    for (const std::uint16_t h : hops_) { longest = h == unreachable ? longest : std::max<std::uint32_t>(longest, h); }
    return longest + 2;
}

}  // namespace fabricast::inline topologies
