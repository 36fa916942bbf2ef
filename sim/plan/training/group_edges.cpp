#include "sim/plan/training/group_edges.hpp"

#include <algorithm>
#include <functional>

namespace fabricast::inline training {

namespace {

// Where the members on each node that the group uses begin, in the order of the members; the last entry is the group's
// size.
std::vector<std::uint32_t> members_by_node(const Groups& groups, std::uint32_t group, std::uint32_t gpus_per_node) {
    std::vector<std::uint32_t> begins;
    std::uint32_t node = 0;
    for (std::uint32_t k = 0; k < groups.size; ++k) {
        const std::uint32_t here = (groups.base(group) + k * groups.stride) / gpus_per_node;
        if (k == 0 || here != node) { begins.push_back(k); }
        node = here;
    }
    begins.push_back(groups.size);
    return begins;
}

using Visit = std::function<void(const Edge&)>;

// The edges of every group, as in the plan of one group.
void visit_groups(const GroupsMapping& at, const EdgeSet& one, GroupDirection direction, const Visit& visit) {
    std::vector<Edge> edges;
    for_each_edge(one, at.map.own, [&](const Edge& edge) {
        const bool from_first = at.map.member_of(edge.path.src) == 0;
        if (direction == GroupDirection::both || (direction == GroupDirection::onward) == from_first) {
            edges.push_back(edge);
        }
    });
    GroupsMapping each = at;
    for (std::uint32_t group = 0; group < at.groups.count(); ++group) {
        each.set(group);
        for (const Edge& edge : edges) {
            const PathQuery path = each.map.path(edge.path);
            if (path.src != path.dst) { visit(on_path(edge, path)); }
        }
    }
}

// All pairs of every uneven group; each GPU uses its own NIC.
void visit_pairs(const GroupsMapping& at, const AllPairs& pairs, const Visit& visit) {
    const Fabric& real = at.map.real;
    const Groups& groups = at.groups;
    for (std::uint32_t group = 0; group < groups.count(); ++group) {
        for (std::uint32_t pair = 0; pair < groups.size * groups.size; ++pair) {
            const std::uint32_t from = groups.base(group) + pair / groups.size * groups.stride;
            const std::uint32_t to = groups.base(group) + pair % groups.size * groups.stride;
            if (from == to) { continue; }
            Edge edge;
            edge.connections = pairs.connections;
            edge.path.src = real.gpu(from);
            edge.path.dst = real.gpu(to);
            edge.path.flow_label = pair % groups.size + 131 * group;
            edge.path.gpu_direct = pairs.gpu_direct;
            visit(edge);
        }
    }
}

}  // namespace

SpreadGroups spread_of(const Groups& groups, std::uint32_t gpus_per_node, bool all_pairs) {
    std::uint32_t nodes = 1;
    std::uint32_t most = 0, least = groups.size;  // a group's members per node
    for (std::uint32_t group = 0; group < groups.count(); ++group) {
        const std::vector<std::uint32_t> begins = members_by_node(groups, group, gpus_per_node);
        nodes = std::max(nodes, static_cast<std::uint32_t>(begins.size() - 1));
        for (std::size_t i = 1; i < begins.size(); ++i) {
            most = std::max(most, begins[i] - begins[i - 1]);
            least = std::min(least, begins[i] - begins[i - 1]);
        }
    }
    const std::uint32_t per_node = all_pairs ? (groups.size + nodes - 1) / nodes : least;
    return {{.per_node = per_node, .nodes = nodes, .apart = per_node > 1 ? groups.stride : 1}, most == least};
}

void GroupsMapping::set(std::uint32_t group) {
    const std::vector<std::uint32_t> begins = members_by_node(groups, group, map.real.gpus_per_node());
    const std::uint32_t per_node = map.own.gpus_per_node();
    map.label = 131 * group;
    map.ranks.clear();
    for (std::uint32_t node = 0; node < map.own.node_count(); ++node) {
        for (std::uint32_t place = 0; place < per_node; ++place) {
            const bool here = node + 1 < begins.size();
            const std::uint32_t member =
                here ? begins[node] + place * (begins[node + 1] - begins[node]) / per_node : groups.size - 1;
            map.ranks.push_back(groups.base(group) + member * groups.stride);
        }
    }
}

PathQuery GroupsMapping::hop(const PathQuery& planned) {
    const Fabric& own = map.own;
    const auto moved = [&](DeviceId device, std::uint32_t by) {
        const bool gpu = own.kind(device) == DeviceKind::gpu;
        return gpu ? own.gpu((map.member_of(device) + by * own.gpus_per_node()) % own.gpu_count()) : device;
    };
    for (std::uint32_t group = 0; group < groups.count(); ++group) {
        set(group);
        for (std::uint32_t by = 0; by < own.node_count(); ++by) {
            PathQuery query = planned;
            query.src = moved(planned.src, by);
            query.dst = moved(planned.dst, by);
            const PathQuery found = map.path(query);
            if (found.src != found.dst) { return found; }
        }
    }
    set(0);
    return map.path(planned);
}

EdgeSet edges_of_all(const GroupsMapping& mapping, const EdgeSet& one, GroupDirection direction) {
    const auto visit_all = [=](const Visit& visit) {
        const auto* pairs = std::get_if<AllPairs>(&one);
        pairs != nullptr && !mapping.even ? visit_pairs(mapping, *pairs, visit)
                                          : visit_groups(mapping, one, direction, visit);
    };
    return GeneratedEdges{edge_count(one) * mapping.groups.count(), visit_all};
}

}  // namespace fabricast::inline training
