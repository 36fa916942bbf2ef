#pragma once
// Merges links that are loaded alike: two links belong to one row when every class crosses them equally often. A ring
// over a million GPUs has about twenty rows. Links are separated by exact refinement, one column (path or edge set) at
// a time: no symmetry is assumed, all of it is detected.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/engines/common/fluid_network.hpp"

namespace fabricast::inline engine_common {

// How often an edge set crosses a link: by edges inside a node and by edges between nodes.
struct CrossingCount {
    double inside = 0, network = 0;
    bool operator==(const CrossingCount&) const = default;
};

class RowMerger {
public:
    struct Crossing {
        std::uint32_t row;  // final, after finish()
        CrossingCount count;
    };

    explicit RowMerger(std::uint32_t links);

    // Gives this link a row of its own, because its capacity changes over time.
    void keep_apart(LinkId link);
    // Adds a path; links may repeat.
    void add_path(std::span<const LinkId> path);
    // Call once between the last path and the first edge set.
    void end_paths();
    // Adds `times` crossings of the link by the edge set that is being counted.
    void count(LinkId link, double times, bool network) {
        counts_.resize(node_of_link_.size());
        CrossingCount& c = counts_[static_cast<std::uint32_t>(link)];
        if (c == CrossingCount{}) { counted_.push_back(static_cast<std::uint32_t>(link)); }
        (network ? c.network : c.inside) += times;
    }
    // Ends the edge set that is being counted; returns its index.
    std::uint32_t end_edge_set();

    // Numbers the rows in order of their first link and writes capacities and parts.
    void finish(const std::function<LinkInfo(LinkId)>& link, Network& network);

    std::uint32_t row_of(LinkId link) const { return node_of_link_[static_cast<std::uint32_t>(link)]; }
    // Rows that the edge set crosses.
    const std::vector<Crossing>& crossings(std::uint32_t edge_set) const { return crossings_[edge_set]; }

private:
    // A set of links that are loaded alike so far; refinement adds subsets as children.
    struct Node {
        std::uint32_t parent = 0;
        std::uint32_t edge_set = 0;
        CrossingCount count;
    };
    static constexpr std::uint32_t unused = 0;

    std::vector<std::uint64_t> signature_;     // per link, while paths are added: sum of its paths' random numbers
    std::vector<std::uint32_t> node_of_link_;  // per link: the node; after finish() the row
    std::vector<CrossingCount> counts_;        // per link, of the edge set being counted
    std::vector<std::uint32_t> counted_;       // links that this edge set crosses
    std::vector<Node> nodes_;
    std::vector<std::vector<Crossing>> crossings_;  // per edge set
    std::uint64_t path_number_ = 0;
    std::uint32_t edge_sets_ = 0;
};

}  // namespace fabricast::inline engine_common
