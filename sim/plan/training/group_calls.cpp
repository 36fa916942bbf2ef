#include "sim/plan/training/group_calls.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/numbers.hpp"

namespace fabricast {

namespace {

// Where the members on each node that the group uses begin, in the order of the members; the last entry is the group's
// size.
std::vector<std::uint32_t> members_by_node(const Groups& groups, std::uint32_t group, std::uint32_t gpus_per_node) {
    std::vector<std::uint32_t> begins;
    std::uint32_t node = 0;
    for (std::uint32_t k = 0; k < groups.size; ++k) {
        const std::uint32_t here = (groups.base(group) + k * groups.stride) / gpus_per_node;
        if (k == 0 || here != node) {
            begins.push_back(k);
        }
        node = here;
    }
    begins.push_back(groups.size);
    return begins;
}

// Maps the cluster of one group to the real one: its ranks are the group's ranks, its nodes those that the group uses.
// In an uneven group some of a node's members represent all of them, or one rank represents several.
struct Mapping {
    Fabric own;
    Fabric real;
    Groups groups;
    bool even = true;  // each group has equally many ranks on each node that it uses
    std::uint32_t group = 0;
    std::vector<std::uint32_t> ranks{};  // rank in the real cluster of each rank of `own`

    void of_group(std::uint32_t which) {
        group = which;
        const std::vector<std::uint32_t> begins = members_by_node(groups, group, real.gpus_per_node());
        const std::uint32_t per_node = own.gpus_per_node();
        ranks.clear();
        for (std::uint32_t node = 0; node < own.node_count(); ++node) {
            for (std::uint32_t place = 0; place < per_node; ++place) {
                const bool here = node + 1 < begins.size();
                const std::uint32_t member =
                    here ? begins[node] + place * (begins[node + 1] - begins[node]) / per_node : groups.size - 1;
                ranks.push_back(groups.base(group) + member * groups.stride);
            }
        }
    }
    std::uint32_t member_of(DeviceId device) const {
        return own.node_of(device) * own.gpus_per_node() + own.local_index(device);
    }
    DeviceId device(DeviceId own_device) const {
        if (own.kind(own_device) == DeviceKind::gpu) {
            return real.gpu(ranks[member_of(own_device)]);
        }
        const std::uint32_t node = ranks[own.node_of(own_device) * own.gpus_per_node()] / real.gpus_per_node();
        return own.kind(own_device) == DeviceKind::nvswitch ? real.nvswitch(node)
                                                            : real.nic(node, own.local_index(own_device));
    }
    // The rail of the real GPU that corresponds to this rail's GPU. The end's own rail if no GPU is on this rail, or if
    // the real rail is far from the end: members of a strided group may be on different sockets or trays.
    std::uint16_t nic(DeviceId end, std::uint16_t rail) const {
        if (rail == any_nic || own.kind(end) != DeviceKind::gpu) {
            return any_nic;
        }
        const std::uint32_t per_node = own.gpus_per_node();
        std::uint32_t local = own.local_index(end);
        for (std::uint32_t j = 0; j < per_node; ++j) {
            if (own.nearest_nic(j) == rail) {
                local = j;
                break;
            }
        }
        const auto place = [&](std::uint32_t index) {
            return ranks[own.node_of(end) * per_node + index] % real.gpus_per_node();
        };
        const std::uint32_t here = place(own.local_index(end));
        const std::uint16_t mapped = real.nearest_nic(place(local));
        const std::span<const std::uint16_t> near = real.near_nics(here);
        const bool reaches = std::find(near.begin(), near.end(), mapped) != near.end();
        return reaches ? mapped : real.nearest_nic(here);
    }
    PathQuery path(const PathQuery& own_path) const {
        PathQuery query = own_path;
        query.src = device(own_path.src);
        query.dst = device(own_path.dst);
        query.flow_label = own_path.flow_label + 131 * group;
        const bool crosses = real.node_of(query.src) != real.node_of(query.dst);
        query.src_nic = crosses ? nic(own_path.src, own_path.src_nic) : any_nic;
        query.dst_nic = crosses ? nic(own_path.dst, own_path.dst_nic) : any_nic;
        return query;
    }
    // The real hop that represents this one: on the first node of the first group where its ends are two different
    // devices.
    PathQuery hop(const PathQuery& own_hop) {
        const auto moved = [&](DeviceId device, std::uint32_t by) {
            const bool gpu = own.kind(device) == DeviceKind::gpu;
            return gpu ? own.gpu((member_of(device) + by * own.gpus_per_node()) % own.gpu_count()) : device;
        };
        for (std::uint32_t which = 0; which < groups.count(); ++which) {
            of_group(which);
            for (std::uint32_t by = 0; by < own.node_count(); ++by) {
                PathQuery query = own_hop;
                query.src = moved(own_hop.src, by);
                query.dst = moved(own_hop.dst, by);
                const PathQuery found = path(query);
                if (found.src != found.dst) {
                    return found;
                }
            }
        }
        of_group(0);
        return path(own_hop);
    }
};

// The edges of every group, as in the plan of one group.
struct AllGroups {
    Mapping map;
    EdgeSet one;
    GroupDirection direction = GroupDirection::both;

    void operator()(const std::function<void(const Edge&)>& visit) const {
        const auto* pairs = std::get_if<AllPairs>(&one);
        if (pairs != nullptr && !map.even) {
            visit_pairs(*pairs, visit);
            return;
        }
        std::vector<Edge> edges;
        for_each_edge(one, map.own, [&](const Edge& edge) {
            const bool onward = direction == GroupDirection::both ||
                                (direction == GroupDirection::onward) == (map.member_of(edge.path.src) == 0);
            if (onward) {
                edges.push_back(edge);
            }
        });
        Mapping at = map;
        for (std::uint32_t group = 0; group < map.groups.count(); ++group) {
            at.of_group(group);
            for (const Edge& edge : edges) {
                const PathQuery path = at.path(edge.path);
                if (path.src != path.dst) {
                    visit({path, edge.count});
                }
            }
        }
    }

    // All pairs of every uneven group; each GPU uses its own NIC.
    void visit_pairs(const AllPairs& pairs, const std::function<void(const Edge&)>& visit) const {
        const Fabric& real = map.real;
        const Groups& groups = map.groups;
        for (std::uint32_t group = 0; group < groups.count(); ++group) {
            for (std::uint32_t pair = 0; pair < groups.size * groups.size; ++pair) {
                const std::uint32_t from = groups.base(group) + pair / groups.size * groups.stride;
                const std::uint32_t to = groups.base(group) + pair % groups.size * groups.stride;
                if (from == to) {
                    continue;
                }
                Edge edge;
                edge.path.src = real.gpu(from);
                edge.path.dst = real.gpu(to);
                edge.path.flow_label = pair % groups.size + 131 * group;
                edge.path.gpu_direct = pairs.gpu_direct;
                if (real.node_of(edge.path.src) != real.node_of(edge.path.dst) && real.nics_per_node() > 0) {
                    edge.path.src_nic = real.nearest_nic(from % real.gpus_per_node());
                    edge.path.dst_nic = real.nearest_nic(to % real.gpus_per_node());
                }
                visit(edge);
            }
        }
    }
};

// Changes a plan for the GPUs of `own` into one for `ranks` ranks, for uneven groups: the additional hops of a ring are
// inside nodes, and each edge carries its share for `ranks` ranks.
void resize(Pipeline& p, std::span<Stage> stages, const EdgeSet& edges, const Fabric& own, double ranks) {
    const double planned = own.gpu_count();
    if (std::holds_alternative<AllPairs>(edges)) {
        p.bytes_per_edge *= planned / ranks;
    } else if (p.cyclic) {
        double hops = 0;
        for (const Stage& stage : stages) {
            hops += stage.count;
        }
        const double all_hops = hops / (planned - 1) * (ranks - 1);
        for (Stage& stage : stages) {
            const bool local = own.node_of(stage.hop.src) == own.node_of(stage.hop.dst);
            stage.count += local ? all_hops - hops : 0;
            hops = local ? all_hops : hops;
        }
        p.bytes_per_edge *= (ranks - 1) / ranks * planned / (planned - 1);
        p.chunk = std::min(p.chunk, p.bytes_per_edge / all_hops);
    }
    p.chunk = std::min(p.chunk, p.bytes_per_edge);
}

// How often a rank's buffer passes through its memory: data that it sends are read, data that arrive are written, and a
// reduction also reads the rank's own share.
double memory_passes(Collective collective) {
    switch (collective) {
        case Collective::all_reduce:
            return 5;
        case Collective::reduce_scatter:
            return 3;
        default:
            return 2;
    }
}

// The node with only the group's GPUs in it, renumbered; everything else stays as it is.
NodeTemplate node_of(const NodeTemplate& full, const GroupShape& shape) {
    NodeTemplate node = full;
    node.gpus = shape.per_node;
    const auto kept = [&](const std::string& name) -> std::string {
        if (!name.starts_with("gpu")) {
            return name;
        }
        const std::optional<std::uint32_t> number = number_in<std::uint32_t>(std::string_view(name).substr(3));
        if (!number) {
            return name;  // the user's own device whose name begins with "gpu"
        }
        const std::uint32_t index = *number;
        const bool ours = index % shape.apart == 0 && index / shape.apart < shape.per_node;
        return ours ? "gpu" + std::to_string(index / shape.apart) : std::string();
    };
    std::erase_if(node.devices, [&](const NodeDevice& d) { return kept(d.name).empty(); });
    std::erase_if(node.cables, [&](const NodeCable& c) { return kept(c.a).empty() || kept(c.b).empty(); });
    for (NodeDevice& device : node.devices) {
        device.name = kept(device.name);
    }
    for (NodeCable& cable : node.cables) {
        cable.a = kept(cable.a);
        cable.b = kept(cable.b);
    }
    return node;
}

// The cluster of one group's ranks: the same node with fewer GPUs, and the same links.
Cluster cluster_of(const Fabric& fabric, const GroupShape& shape) {
    Cluster cluster = fabric.cluster();
    if (cluster.fabric.kind == FabricKind::explicit_graph) {
        throw PlanError("a training workload needs a fabric by kind, not one drawn device by device");
    }
    cluster.node = node_of(cluster.node, shape);
    cluster.nodes = shape.nodes;
    if (shape.nodes == 1) {
        cluster.fabric.kind = FabricKind::none;
    } else if (cluster.fabric.kind != FabricKind::none) {
        cluster.fabric.kind = FabricKind::rail_optimized;
        cluster.fabric.shape.clear();
        cluster.fabric.tiers = 0;
    }
    return cluster;
}

}  // namespace

struct GroupCalls::Member {
    explicit Member(Cluster cluster) : fabric(std::move(cluster)) {}

    struct Calls {
        CollectiveWorkload workload;
        std::unique_ptr<Planner> planner;
        std::map<double, Plan> plans;  // by bytes
    };
    Fabric fabric;
    std::map<Collective, Calls> calls;
};

// The operations of one call, so that it can be added again.
struct GroupCalls::Template {
    struct Op {
        OpKind kind = OpKind::pipeline;
        Pipeline pipeline;
        Duration delay;
        std::vector<std::size_t> after;  // operations of the same call; none: waits for what the call waits for
    };
    std::vector<Op> ops;
    std::vector<std::size_t> ends;
    Evidence evidence = Evidence::measured_here;
};

GroupShape shape_of(const Groups& groups, std::uint32_t gpus_per_node, bool all_pairs) {
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
    return {per_node, nodes, per_node > 1 ? groups.stride : 1, most == least};
}

// A call takes T = start + tau + way + stream(chunks - 1) (sim/engines/common/schedule.hpp); each term counts `times`
// times. One pipeline leaves out the last slice in `way` and, for a ring, adds a tau to the stream only once, `times`
// calls do so each time: `fill` adds the difference.
Pipeline repeated(Pipeline p, double times) {
    const double more = std::max(0.0, times - 1);
    p.bytes_per_edge *= times;
    p.start = from_seconds(to_seconds(p.start) * times);
    p.fill = p.fill * times + more * ((p.cyclic ? 1.0 : 0.0) - 1.0 / p.slices);
    p.chunk = std::min(p.chunk, p.bytes_per_edge);
    return p;
}

GroupCalls::GroupCalls(const Fabric& fabric, const LibrarySpec& library, const Catalog& catalog)
    : fabric_(fabric), library_(library), catalog_(catalog) {}

GroupCalls::~GroupCalls() = default;

GroupCalls::Member& GroupCalls::member(const GroupShape& shape) {
    std::unique_ptr<Member>& found = members_[shape];
    if (found == nullptr) {
        found = std::make_unique<Member>(cluster_of(fabric_, shape));
    }
    return *found;
}

const Plan& GroupCalls::plan_of(const GroupCall& call, const GroupShape& shape) {
    Member& group = member(shape);
    Member::Calls& calls = group.calls[call.collective];
    if (calls.planner == nullptr) {
        calls.workload.collective = call.collective;
        calls.workload.dtype = DataType::bfloat16;
        calls.planner = std::make_unique<Planner>(calls.workload, group.fabric, library_, launch_, catalog_);
    }
    const auto known = calls.plans.find(call.bytes);
    if (known != calls.plans.end()) {
        return known->second;
    }
    const Bytes size = std::max(Bytes{2}, rounded_bytes(call.bytes));
    const Plan& plan = calls.plans.emplace(call.bytes, calls.planner->plan(size, false)).first->second;
    merge_notes(notes_, plan.notes);
    return plan;
}

const GroupCalls::Template& GroupCalls::prepared(Schedule& schedule, const GroupCall& call, const Groups& groups,
                                                 std::span<const DeviceId> devices, GroupDirection direction) {
    std::unique_ptr<Template>& found =
        templates_[{static_cast<int>(call.collective), call.bytes, call.times, groups.size, groups.stride, groups.first,
                    groups.ranks, static_cast<int>(direction)}];
    if (found != nullptr) {
        return *found;
    }
    found = std::make_unique<Template>();
    const GroupShape shape = shape_of(groups, fabric_.gpus_per_node(), call.collective == Collective::all_to_all);
    const Plan& plan = plan_of(call, shape);
    found->evidence = plan.evidence;
    merge_notes(evidence_notes_, plan.evidence_notes);

    Mapping map{member(shape).fabric, fabric_, groups, shape.even};
    const Schedule& own = plan.schedule;
    // The first iteration consists of the operations between its issue and its end.
    const auto end = static_cast<std::uint32_t>(own.kept.front());
    const auto dependencies = [&](std::uint32_t op) {
        std::vector<std::size_t> after;
        for (std::size_t i = 0; i < own.dependency_count(OpId{op}); ++i) {
            const auto on = static_cast<std::uint32_t>(own.dependency(OpId{op}, i).op);
            if (on > 0) {
                after.push_back(on - 1);
            }
        }
        return after;
    };
    for (std::uint32_t op = 1; op < end; ++op) {
        Template::Op copy;
        copy.kind = own.kind(OpId{op});
        copy.after = dependencies(op);
        if (copy.kind == OpKind::delay) {
            copy.delay = own.delays[own.detail(OpId{op})].duration;
        } else if (copy.kind == OpKind::pipeline) {
            const Pipeline& planned = own.pipelines[own.detail(OpId{op})];
            std::vector<Stage> stages(own.stages.begin() + planned.first_stage,
                                      own.stages.begin() + planned.first_stage + planned.stage_count);
            copy.pipeline = planned;
            if (!map.even) {
                resize(copy.pipeline, stages, own.edge_sets[planned.edges], map.own, groups.size);
            }
            copy.pipeline = repeated(copy.pipeline, call.times);
            copy.pipeline.first_stage = static_cast<std::uint32_t>(schedule.stages.size());
            for (Stage& stage : stages) {
                stage.count *= call.times;
                stage.hop = map.hop(stage.hop);
                schedule.stages.push_back(stage);
            }
            const EdgeKey key{
                &own.edge_sets[planned.edges], groups.size, groups.stride, groups.first, groups.ranks, planned.edges,
                static_cast<int>(direction)};
            const auto [place, fresh] = edges_.emplace(key, static_cast<std::uint32_t>(schedule.edge_sets.size()));
            if (fresh) {
                const EdgeSet& one = own.edge_sets[planned.edges];
                const std::uint64_t edges = edge_count(one) * groups.count();
                schedule.edge_sets.emplace_back(GeneratedEdges{edges, AllGroups{map, one, direction}});
            }
            copy.pipeline.edges = place->second;
            copy.pipeline.first_occupancy = static_cast<std::uint32_t>(schedule.occupancies.size());
            copy.pipeline.occupancy_count = static_cast<std::uint32_t>(devices.size());
            const double bytes = memory_passes(call.collective) * call.bytes * call.times;
            for (const DeviceId device : devices) {  // a channel is a block of threads, which occupies an SM
                schedule.occupancies.push_back({device, static_cast<std::uint16_t>(plan.channels), bytes});
            }
        } else {
            throw PlanError("a training workload takes no algorithm that is planned message by message");
        }
        found->ops.push_back(std::move(copy));
    }
    found->ends = dependencies(end);
    return *found;
}

std::vector<OpId> GroupCalls::add(Schedule& schedule, const GroupCall& call, const Groups& groups,
                                  std::span<const DeviceId> devices, std::span<const Schedule::Dependency> after,
                                  GroupDirection direction) {
    if (groups.size < 2 || call.bytes < 1 || !(call.times > 0)) {
        return {};
    }
    const Template& ready = prepared(schedule, call, groups, devices, direction);
    Evidence& weakest = evidence_.at(static_cast<std::size_t>(call.kind));
    weakest = std::max(weakest, ready.evidence);
    std::vector<OpId> ids;
    std::vector<Schedule::Dependency> inner;
    for (const Template::Op& op : ready.ops) {
        inner.clear();
        for (const std::size_t on : op.after) {
            inner.push_back({ids.at(on), DependsOn::finish});
        }
        const std::span<const Schedule::Dependency> waits = op.after.empty() ? after : std::span(inner);
        ids.push_back(op.kind == OpKind::pipeline ? schedule.add(op.pipeline, waits)
                                                  : schedule.add(Delay{0x40000000U + lanes_++, op.delay}, waits));
    }
    std::vector<OpId> ends;
    for (const std::size_t on : ready.ends) {
        ends.push_back(ids.at(on));
    }
    return ends;
}

std::vector<FigureUsed> GroupCalls::figures() const {
    std::vector<FigureUsed> all;
    for (const auto& [shape, member] : members_) {
        for (const auto& [collective, calls] : member->calls) {
            for (const auto& [bytes, plan] : calls.plans) {
                merge_figures(all, plan.figures);
            }
        }
    }
    return all;
}

}  // namespace fabricast
