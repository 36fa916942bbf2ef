#include "sim/engines/common/edge_counts.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "topologies/trays.hpp"

namespace fabricast::inline engine_common {

namespace {

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
    struct Group {  // nodes whose NICs of one rail are attached to the same switch
        std::vector<std::uint32_t> nodes;
        double senders = 0, receivers = 0;
    };

    // Of the ranks that take part.
    template <class Visit> void ranks_of(std::uint32_t node, Visit&& visit) const {
        const std::uint32_t end = std::min((node + 1) * gpus_, pairs_.first + pairs_.ranks);
        for (std::uint32_t rank = std::max(node * gpus_, pairs_.first); rank < end; ++rank) { visit(rank); }
    }

    // Rail on which a rank receives.
    std::uint32_t rail(std::uint32_t rank) const { return fabric_.nearest_nic(rank % gpus_); }
    // Whether the rank ever sends by this NIC. With PXN it uses all NICs of its tray, each for the destinations on its
    // rail.
    bool sends_by(std::uint32_t rank, std::uint32_t nic) const {
        const std::uint16_t own = fabric_.nearest_nic(rank % gpus_);
        return pairs_.pxn ? trays_.tray_of[own] == trays_.tray_of[nic] : own == nic;
    }
    double senders(std::uint32_t node, std::uint32_t nic) const {
        double n = 0;
        ranks_of(node, [&](std::uint32_t rank) { n += sends_by(rank, nic) ? 1 : 0; });
        return n;
    }
    double receivers(std::uint32_t node, std::uint32_t nic) const {
        double n = 0;
        ranks_of(node, [&](std::uint32_t rank) { n += rail(rank) == nic ? 1 : 0; });
        return n;
    }

    void count(const PathQuery& query, double times, bool network) {
        fabric_.path(query, path_);
        count_(path_.span(), times, network);
    }

    void inside(std::uint32_t node) {
        PathQuery query;
        query.gpu_direct = pairs_.gpu_direct;
        ranks_of(node, [&](std::uint32_t from) {
            ranks_of(node, [&](std::uint32_t to) {
                if (from != to) {
                    query.src = fabric_.gpu(from);
                    query.dst = fabric_.gpu(to);
                    query.flow_label = to - pairs_.first;
                    count(query, 1, false);
                }
            });
        });
    }

    // Everything that leaves by NIC `out` of a node and enters by NIC `in` of another.
    void between(std::uint32_t out, std::uint32_t in) {
        double all_senders = 0;
        double all_receivers = 0;
        for (std::uint32_t node = first_node_; node < end_node_; ++node) {
            all_senders += senders(node, out);
            all_receivers += receivers(node, in);
        }
        if (all_senders == 0 || all_receivers == 0) { return; }
        PathQuery query;
        query.kind = pairs_.gpu_direct && fabric_.node().gpu_direct ? PathKind::automatic : PathKind::host_staged;
        for (std::uint32_t node = first_node_; node < end_node_; ++node) {
            const double others_in = all_receivers - receivers(node, in);
            const double others_out = all_senders - senders(node, out);
            ranks_of(node, [&](std::uint32_t rank) {
                if (sends_by(rank, out) && others_in > 0) {
                    query.src = fabric_.gpu(rank);
                    query.dst = fabric_.nic(node, out);
                    count(query, others_in, true);
                }
                if (rail(rank) == in && others_out > 0) {
                    query.src = fabric_.nic(node, in);
                    query.dst = fabric_.gpu(rank);
                    count(query, others_out, true);
                }
            });
        }
        if (!across_by_switch(out, in, all_senders, all_receivers)) { across_by_node(out, in); }
    }

    // NIC to NIC, one path for each sending node and receiving rank, since the flow label (the rank) may choose the
    // path.
    void across_by_node(std::uint32_t out, std::uint32_t in) {
        PathQuery query;
        for (std::uint32_t to = pairs_.first; to < pairs_.first + pairs_.ranks; ++to) {
            if (rail(to) != in) { continue; }
            query.dst = fabric_.nic(to / gpus_, in);
            query.flow_label = to - pairs_.first;
            for (std::uint32_t node = first_node_; node < end_node_; ++node) {
                const double times = senders(node, out);
                if (node != to / gpus_ && times > 0) {
                    query.src = fabric_.nic(node, out);
                    count(query, times, true);
                }
            }
        }
    }

    std::map<DeviceId, Group> groups_by_switch(std::uint32_t nic, std::uint32_t out, std::uint32_t in) {
        std::map<DeviceId, Group> groups;
        for (std::uint32_t node = first_node_; node < end_node_; ++node) {
            const std::uint32_t other = node + 1 < end_node_ ? node + 1 : first_node_;
            const Path path = fabric_.path({.src = fabric_.nic(node, nic), .dst = fabric_.nic(other, nic)});
            Group& group = groups[fabric_.ends(path.links[0]).to];
            group.nodes.push_back(node);
            group.senders += senders(node, out);
            group.receivers += receivers(node, in);
        }
        return groups;
    }

    // NIC to NIC, one path for each pair of switches: unless a hash chooses the path, all pairs of nodes between two
    // switches take the same trunks. If that does not hold, counts nothing and returns false.
    bool across_by_switch(std::uint32_t out, std::uint32_t in, double all_senders, double all_receivers) {
        const FabricSpec& spec = fabric_.cluster().fabric;
        if (spec.choice != PathChoice::adaptive || spec.kind == FabricKind::dual_plane ||
            spec.kind == FabricKind::explicit_graph) {
            return false;
        }
        const std::map<DeviceId, Group> from = groups_by_switch(out, out, in);
        const std::map<DeviceId, Group> to = groups_by_switch(in, out, in);
        std::vector<std::pair<Path, double>> trunks;  // and how often they are crossed
        for (const auto& [from_switch, a] : from) {
            for (const auto& [to_switch, b] : to) {
                double times = a.senders * b.receivers;
                for (const std::uint32_t node : a.nodes) {
                    if (std::ranges::binary_search(b.nodes, node)) {
                        times -= senders(node, out) * receivers(node, in);
                    }
                }
                if (times == 0) { continue; }
                const auto path = one_way(a, b, out, in);
                if (!path) { return false; }
                trunks.emplace_back(*path, times);
            }
        }
        for (const auto& [path, times] : trunks) { count_(path.span().subspan(1, path.count - 2), times, true); }
        ports(out, in, all_senders, all_receivers);
        return true;
    }

    // The path between the first node of each group, if the path between the last nodes has the same trunks. The two
    // nodes of a path always differ.
    std::optional<Path> one_way(const Group& a, const Group& b, std::uint32_t out, std::uint32_t in) {
        // Picks the two different nodes of `a` and `b` that come first (last).
        const auto between_nodes = [&](auto from, auto to, auto end) {
            const auto second = std::next(to);
            const std::uint32_t x = *from == *to && second == end ? *std::next(from) : *from;
            const std::uint32_t y = x == *to ? *second : *to;
            return fabric_.path({.src = fabric_.nic(x, out), .dst = fabric_.nic(y, in)});
        };
        const Path first = between_nodes(a.nodes.begin(), b.nodes.begin(), b.nodes.end());
        const Path last = between_nodes(a.nodes.rbegin(), b.nodes.rbegin(), b.nodes.rend());
        const bool same =
            first.count == last.count && first.count >= 2 &&
            std::ranges::equal(first.span().subspan(1, first.count - 2), last.span().subspan(1, last.count - 2));
        return same ? std::optional(first) : std::nullopt;
    }

    // The links out of and into each node's NIC.
    void ports(std::uint32_t out, std::uint32_t in, double all_senders, double all_receivers) {
        for (std::uint32_t node = first_node_; node < end_node_; ++node) {
            const std::uint32_t other = node + 1 < end_node_ ? node + 1 : first_node_;
            const double sent = senders(node, out) * (all_receivers - receivers(node, in));
            const double received = receivers(node, in) * (all_senders - senders(node, out));
            if (sent > 0) {
                const Path path = fabric_.path({.src = fabric_.nic(node, out), .dst = fabric_.nic(other, in)});
                count_(path.span().first(1), sent, true);
            }
            if (received > 0) {
                const Path path = fabric_.path({.src = fabric_.nic(other, out), .dst = fabric_.nic(node, in)});
                count_(path.span().last(1), received, true);
            }
        }
    }

    const AllPairs& pairs_;
    const Fabric& fabric_;
    const CountCrossings& count_;
    const Trays trays_{fabric_.node()};
    const std::uint32_t gpus_ = fabric_.gpus_per_node(), nics_ = fabric_.nics_per_node();
    const std::uint32_t first_node_ = pairs_.first / gpus_, end_node_ = (pairs_.first + pairs_.ranks - 1) / gpus_ + 1;
    Path path_;
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
        const auto way = way_round ? way_round(edge.path) : std::nullopt;
        differs = differs || way.has_value();
        fabric.path(way ? *way : edge.path, path);
        count(path.span(), edge.count, fabric.node_of(edge.path.src) != fabric.node_of(edge.path.dst));
    });
    return differs;
}

}  // namespace fabricast::inline engine_common
