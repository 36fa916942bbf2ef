#include "sim/engines/common/edge_counts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "topologies/trays.hpp"

namespace fabricast::inline engine_common {

namespace {

// Of an edge's connections between nodes those that may go apart: a hash chooses the path, or the plane of a fabric of
// several, whose switches spread packets only inside one.
std::uint32_t hashed_ways(const Fabric& fabric, std::uint32_t connections) {
    const FabricSpec& spec = fabric.cluster().fabric;
    return spec.choice == PathChoice::ecmp || spec.kind == FabricKind::dual_plane ? connections : 1;
}

// Counts all pairs in parts: every path between nodes is GPU to NIC, NIC to NIC, NIC to GPU, so the crossings of the
// three parts can be counted separately. What a NIC sends to a rail does not depend on which GPU of its tray sent it.
class AllPairsCount {
public:
    AllPairsCount(const AllPairs& pairs, const Fabric& fabric, const CountCrossings& count)
        : pairs_(pairs), fabric_(fabric), count_(count) {}

    void run() {
        for (std::uint32_t node = first_node_; node < end_node_; ++node) { inside(node); }
        if (end_node_ - first_node_ < 2) { return; }
        for (std::uint32_t out = 0; out < nics_; ++out) {
            for (std::uint32_t in = 0; in < nics_; ++in) {
                if (!pairs_.pxn || trays_.rail_of[out] == trays_.rail_of[in]) { between(out, in); }
            }
        }
    }

private:
    struct Ends {  // ranks that send by NIC `out_`, and that receive by NIC `in_`
        double senders = 0, receivers = 0;
        std::array<double, pxn_ways> by_way{};  // the senders that share a way with PXN; of one node
        void operator+=(const Ends& more) {
            senders += more.senders;
            receivers += more.receivers;
        }
    };
    struct Group {  // nodes whose NICs of one rail are attached to the same switch
        std::vector<std::uint32_t> nodes;
        Ends ends;
    };

    // Of the ranks that take part.
    template <class Visit> void ranks_of(std::uint32_t node, Visit&& visit) const {
        const std::uint32_t end = std::min((node + 1) * gpus_, pairs_.first + pairs_.ranks);
        for (std::uint32_t rank = std::max(node * gpus_, pairs_.first); rank < end; ++rank) { visit(rank); }
    }

    // Rail on which a rank receives.
    std::uint32_t rail(std::uint32_t rank) const { return fabric_.nearest_nic(fabric_.gpu(rank)); }
    // Whether the rank sends by this NIC. With PXN it uses all NICs of its tray, each for the destinations on its rail.
    bool sends_by(std::uint32_t rank, std::uint32_t nic) const {
        const std::uint16_t own = fabric_.nearest_nic(fabric_.gpu(rank));
        return pairs_.pxn ? trays_.tray_of[own] == trays_.tray_of[nic] : own == nic;
    }

    void count(const PathQuery& query, double times, bool network) {
        fabric_.path(query, path_);
        count_(path_.span(), times, network);
    }

    // Between nodes, by each connection of a pair.
    void count_connections(PathQuery query, double times) {
        const std::uint32_t label = query.flow_label;
        for (std::uint32_t connection = 0; connection < ways_; ++connection) {
            query.flow_label = connection_label(label, connection);
            count(query, times / ways_, true);
        }
    }

    void inside(std::uint32_t node) {
        ranks_of(node, [&](std::uint32_t from) {
            ranks_of(node, [&](std::uint32_t to) {
                PathQuery query{.src = fabric_.gpu(from), .dst = fabric_.gpu(to), .flow_label = to - pairs_.first};
                query.gpu_direct = pairs_.gpu_direct;
                if (from != to) { count(query, 1, false); }
            });
        });
    }

    // Everything that leaves by NIC `out` of a node and enters by NIC `in` of another.
    void between(std::uint32_t out, std::uint32_t in) {
        out_ = out;
        in_ = in;
        all_ = {};
        for (std::uint32_t node = first_node_; node < end_node_; ++node) {
            Ends& ends = ends_[node] = {};
            ranks_of(node, [&](std::uint32_t rank) {
                const double sends = sends_by(rank, out) ? 1 : 0;
                ends.senders += sends;
                ends.by_way[rank % gpus_ % pxn_ways] += sends;
                ends.receivers += rail(rank) == in ? 1 : 0;
            });
            all_ += ends;
        }
        if (all_.senders == 0 || all_.receivers == 0) { return; }
        for (std::uint32_t node = first_node_; node < end_node_; ++node) {
            const bool direct = pairs_.gpu_direct && fabric_.node(node).gpu_direct;
            const PathKind kind = direct ? PathKind::automatic : PathKind::host_staged;
            const double others_in = all_.receivers - ends_[node].receivers;
            const double others_out = all_.senders - ends_[node].senders;
            ranks_of(node, [&](std::uint32_t rank) {
                const DeviceId gpu = fabric_.gpu(rank);
                if (sends_by(rank, out) && others_in > 0) {
                    count({.src = gpu, .dst = fabric_.nic(node, out), .kind = kind}, others_in, true);
                }
                if (rail(rank) == in && others_out > 0) {
                    count({.src = fabric_.nic(node, in), .dst = gpu, .kind = kind}, others_out, true);
                }
            });
        }
        if (!across_by_switch()) { across_by_node(); }
    }

    // NIC to NIC, one path for each sending node, receiving rank and label, which may choose the path, and
    // connection.
    void across_by_node() {
        for (std::uint32_t to = pairs_.first; to < pairs_.first + pairs_.ranks; ++to) {
            if (rail(to) != in_) { continue; }
            PathQuery query{.dst = fabric_.nic(to / gpus_, in_), .flow_label = to - pairs_.first};
            for (std::uint32_t node = first_node_; node < end_node_; ++node) {
                query.src = fabric_.nic(node, out_);
                if (node == to / gpus_ || ends_[node].senders == 0) { continue; }
                if (!pairs_.pxn) {
                    count_connections(query, ends_[node].senders);
                    continue;
                }
                for (std::uint32_t way = 0; way < pxn_ways; ++way) {
                    query.flow_label = pxn_label(way, to - pairs_.first, pairs_.ranks);
                    const double senders = ends_[node].by_way[way];
                    if (senders > 0) { count_connections(query, senders); }
                }
            }
        }
    }

    Path across(std::uint32_t from, std::uint32_t out, std::uint32_t to, std::uint32_t in) const {
        return fabric_.path({.src = fabric_.nic(from, out), .dst = fabric_.nic(to, in)});
    }
    // Another node that takes part.
    std::uint32_t other(std::uint32_t node) const { return node + 1 < end_node_ ? node + 1 : first_node_; }

    std::map<DeviceId, Group> groups_by_switch(std::uint32_t nic) const {
        std::map<DeviceId, Group> groups;
        for (std::uint32_t node = first_node_; node < end_node_; ++node) {
            Group& group = groups[fabric_.ends(across(node, nic, other(node), nic).links[0]).to];
            group.nodes.push_back(node);
            group.ends += ends_[node];
        }
        return groups;
    }

    // NIC to NIC, one path for each pair of switches: unless a hash chooses the path, all pairs of nodes between two
    // switches take the same trunks. If that does not hold, counts nothing and returns false.
    bool across_by_switch() {
        const FabricSpec& spec = fabric_.cluster().fabric;
        if (spec.choice != PathChoice::adaptive || spec.kind == FabricKind::dual_plane ||
            spec.kind == FabricKind::explicit_graph) {
            return false;
        }
        const std::map<DeviceId, Group> from = groups_by_switch(out_);
        const std::map<DeviceId, Group> to = groups_by_switch(in_);
        std::vector<std::pair<Path, double>> trunks;  // and how often they are crossed
        for (const auto& [from_switch, a] : from) {
            for (const auto& [to_switch, b] : to) {
                double times = a.ends.senders * b.ends.receivers;
                for (const std::uint32_t node : a.nodes) {
                    const bool both = std::ranges::binary_search(b.nodes, node);
                    times -= both ? ends_[node].senders * ends_[node].receivers : 0;
                }
                if (times == 0) { continue; }
                const auto path = one_way(a, b);
                if (!path) { return false; }
                trunks.emplace_back(*path, times);
            }
        }
        for (const auto& [path, times] : trunks) { count_(path.span().subspan(1, path.count - 2), times, true); }
        ports();
        return true;
    }

    // The path between the first node of each group, if the path between the last nodes has the same trunks. The two
    // nodes of a path always differ.
    std::optional<Path> one_way(const Group& a, const Group& b) const {
        // Picks the two different nodes of `a` and `b` that come first (last).
        const auto between_nodes = [&](auto from, auto to, auto end) {
            const auto second = std::next(to);
            const std::uint32_t x = *from == *to && second == end ? *std::next(from) : *from;
            const std::uint32_t y = x == *to ? *second : *to;
            return across(x, out_, y, in_);
        };
        const Path first = between_nodes(a.nodes.begin(), b.nodes.begin(), b.nodes.end());
        const Path last = between_nodes(a.nodes.rbegin(), b.nodes.rbegin(), b.nodes.rend());
        const bool same =
            first.count == last.count && first.count >= 2 &&
            std::ranges::equal(first.span().subspan(1, first.count - 2), last.span().subspan(1, last.count - 2));
        return same ? std::optional(first) : std::nullopt;
    }

    // The links out of and into each node's NIC.
    void ports() const {
        for (std::uint32_t node = first_node_; node < end_node_; ++node) {
            const double sent = ends_[node].senders * (all_.receivers - ends_[node].receivers);
            const double received = ends_[node].receivers * (all_.senders - ends_[node].senders);
            if (sent > 0) {
                const Path path = across(node, out_, other(node), in_);
                count_(path.span().first(1), sent, true);
            }
            if (received > 0) {
                const Path path = across(other(node), out_, node, in_);
                count_(path.span().last(1), received, true);
            }
        }
    }

    const AllPairs& pairs_;
    const Fabric& fabric_;
    const CountCrossings& count_;
    const Trays trays_{fabric_.node()};
    const std::uint32_t gpus_ = fabric_.gpus_per_node(), nics_ = fabric_.nics_per_node();
    const std::uint32_t ways_ = hashed_ways(fabric_, pairs_.connections);
    const std::uint32_t first_node_ = pairs_.first / gpus_, end_node_ = (pairs_.first + pairs_.ranks - 1) / gpus_ + 1;
    Path path_;
    std::uint32_t out_ = 0, in_ = 0;                         // the NICs between which is being counted
    std::vector<Ends> ends_ = std::vector<Ends>(end_node_);  // per node
    Ends all_;
};

// Nodes without NICs, and rails that are connected only by a detour, are left to count_each_edge.
bool can_take_apart(const AllPairs& pairs, const Fabric& fabric) {
    return pairs.ranks > 1 && fabric.nics_per_node() > 0 &&
           (pairs.pxn || fabric.cluster().fabric.kind != FabricKind::rail_only);
}

}  // namespace

void count_edges(const EdgeSet& edges, const Fabric& fabric, const CountCrossings& count) {
    const auto* pairs = std::get_if<AllPairs>(&edges);
    if (pairs != nullptr && can_take_apart(*pairs, fabric)) {
        AllPairsCount(*pairs, fabric, count).run();
    } else {
        count_each_edge(edges, fabric, count);
    }
}

bool count_each_edge(const EdgeSet& edges, const Fabric& fabric, const CountCrossings& count,
                     const WayRound& way_round) {
    bool differs = false;
    Path path;
    for_each_edge(edges, fabric, [&](const Edge& edge) {
        const bool between = fabric.node_of(edge.path.src) != fabric.node_of(edge.path.dst);
        const std::uint32_t ways = between ? hashed_ways(fabric, edge.connections) : 1;
        for (std::uint32_t connection = 0; connection < ways; ++connection) {
            PathQuery query = edge.path;
            query.flow_label = connection_label(query.flow_label, connection);
            const auto way = way_round ? way_round(query) : std::nullopt;
            differs = differs || way.has_value();
            fabric.path(way ? *way : query, path);
            count(path.span(), edge.count / ways, between);
        }
    });
    return differs;
}

}  // namespace fabricast::inline engine_common
