#include "sim/workloads/group_calls.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/report/summarize.hpp"

namespace fabricast {

namespace {

// Ranks of a group's own cluster are those of the real one, strided.
struct Mapping {
    Fabric own;
    Fabric real;
    Groups groups;

    std::uint32_t rank(std::uint32_t group, std::uint32_t member) const {
        return groups.base(group) + member * groups.stride;
    }
    std::uint32_t member_of(DeviceId device) const {
        return own.node_of(device) * own.gpus_per_node() + own.local_index(device);
    }
    DeviceId device(std::uint32_t group, DeviceId own_device) const {
        if (own.kind(own_device) == DeviceKind::gpu) {
            return real.gpu(rank(group, member_of(own_device)));
        }
        const std::uint32_t first = own.node_of(own_device) * own.gpus_per_node();
        const std::uint32_t node = rank(group, first) / real.gpus_per_node();
        return own.kind(own_device) == DeviceKind::nvswitch ? real.nvswitch(node)
                                                            : real.nic(node, own.local_index(own_device));
    }
    // The rail of the real GPU that stands where this rail's GPU does; the end's own where no GPU has it, or where that
    // one is far: members of a strided group may sit at different sockets or trays.
    std::uint16_t nic(std::uint32_t group, DeviceId end, std::uint16_t rail) const {
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
            return rank(group, own.node_of(end) * per_node + index) % real.gpus_per_node();
        };
        const std::uint32_t here = place(own.local_index(end));
        const std::uint16_t mapped = real.nearest_nic(place(local));
        const std::span<const std::uint16_t> near = real.near_nics(here);
        const bool reaches = std::find(near.begin(), near.end(), mapped) != near.end();
        return reaches ? mapped : real.nearest_nic(here);
    }
    PathQuery path(std::uint32_t group, const PathQuery& own_path) const {
        PathQuery query = own_path;
        query.src = device(group, own_path.src);
        query.dst = device(group, own_path.dst);
        query.flow_label = own_path.flow_label + 131 * group;
        const bool crosses = real.node_of(query.src) != real.node_of(query.dst);
        query.src_nic = crosses ? nic(group, own_path.src, own_path.src_nic) : any_nic;
        query.dst_nic = crosses ? nic(group, own_path.dst, own_path.dst_nic) : any_nic;
        return query;
    }
};

// The edges of every group, each as the plan of one has them.
struct AllGroups {
    Mapping map;
    EdgeSet one;
    GroupDirection direction = GroupDirection::both;

    void operator()(const std::function<void(const Edge&)>& visit) const {
        std::vector<Edge> edges;
        for_each_edge(one, map.own, [&](const Edge& edge) {
            const bool onward = direction == GroupDirection::both ||
                                (direction == GroupDirection::onward) == (map.member_of(edge.path.src) == 0);
            if (onward) {
                edges.push_back(edge);
            }
        });
        for (std::uint32_t group = 0; group < map.groups.count(); ++group) {
            for (const Edge& edge : edges) {
                visit({map.path(group, edge.path), edge.count});
            }
        }
    }
};

std::uint64_t edges_in(const EdgeSet& set, const Fabric& fabric) {
    std::uint64_t count = 0;
    for_each_edge(set, fabric, [&](const Edge&) { ++count; });
    return count;
}

// Times that a rank's buffer passes through its memory: what it sends is read, what arrives is written, and a reduction
// reads its own share again.
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

// The node with only the group's GPUs in it, numbered anew; everything else stays where it is.
NodeTemplate node_of(const NodeTemplate& full, const GroupShape& shape) {
    NodeTemplate node = full;
    node.gpus = shape.per_node;
    const auto kept = [&](const std::string& name) -> std::string {
        if (!name.starts_with("gpu")) {
            return name;
        }
        const std::uint32_t index = static_cast<std::uint32_t>(std::stoul(name.substr(3)));
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

// A cluster of one group's ranks: the same node with fewer GPUs, the same links.
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

// What one call adds, ready to be added again.
struct GroupCalls::Template {
    struct Op {
        OpKind kind = OpKind::pipeline;
        Pipeline pipeline;
        Duration delay;
        std::vector<std::size_t> after;  // operations of the same call; none: what the call waits for
    };
    std::vector<Op> ops;
    std::vector<std::size_t> ends;
};

GroupShape shape_of(const Groups& groups, std::uint32_t gpus_per_node) {
    if (static_cast<std::uint64_t>(groups.stride) * groups.size <= gpus_per_node) {
        return {groups.size, 1, groups.size > 1 ? groups.stride : 1};
    }
    std::uint32_t per_node = std::max(1U, gpus_per_node / groups.stride);
    while (groups.size % per_node != 0) {
        --per_node;
    }
    return {per_node, groups.size / per_node, per_node > 1 ? groups.stride : 1};
}

// T is start + stages + streaming + fill (sim/schedule.hpp); so many times each of them. A stream that fills a tree
// covers its first chunk by its stages once, not each time: what a call less streams is left out of the fill.
Pipeline repeated(Pipeline p, double times) {
    const bool whole_calls = times > 1 && !p.cyclic;
    p.bytes_per_edge *= times;
    p.start = from_seconds(to_seconds(p.start) * times);
    p.fill = p.fill * times - (whole_calls ? times - 1 : 0);
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
    const Bytes size{std::max<std::int64_t>(2, std::llround(call.bytes))};
    const Plan& plan = calls.plans.emplace(call.bytes, calls.planner->plan(size)).first->second;
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
    const GroupShape shape = shape_of(groups, fabric_.gpus_per_node());
    const Plan& plan = plan_of(call, shape);
    const Mapping map{member(shape).fabric, fabric_, groups};
    const Schedule& own = plan.schedule;
    // The first iteration: between its issue and its end.
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
            copy.pipeline = repeated(planned, call.times);
            copy.pipeline.first_stage = static_cast<std::uint32_t>(schedule.stages.size());
            for (std::uint32_t s = 0; s < planned.stage_count; ++s) {
                Stage stage = own.stages[planned.first_stage + s];
                stage.count *= call.times;
                stage.hop = map.path(0, stage.hop);
                schedule.stages.push_back(stage);
            }
            const EdgeKey key{
                &own.edge_sets[planned.edges], groups.size, groups.stride, groups.first, groups.ranks, planned.edges,
                static_cast<int>(direction)};
            const auto [place, fresh] = edges_.emplace(key, static_cast<std::uint32_t>(schedule.edge_sets.size()));
            if (fresh) {
                const EdgeSet& one = own.edge_sets[planned.edges];
                const std::uint64_t edges = edges_in(one, map.own) * groups.count();
                schedule.edge_sets.emplace_back(EdgeGenerator{edges, AllGroups{map, one, direction}});
            }
            copy.pipeline.edges = place->second;
            copy.pipeline.first_occupancy = static_cast<std::uint32_t>(schedule.occupancies.size());
            copy.pipeline.occupancy_count = static_cast<std::uint32_t>(devices.size());
            const double bytes = memory_passes(call.collective) * call.bytes * call.times;
            for (const DeviceId device : devices) {  // a channel is a block of threads, which holds an SM
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
