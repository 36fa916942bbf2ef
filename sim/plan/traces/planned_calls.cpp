#include "sim/plan/traces/planned_calls.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

namespace fabricast {

namespace {

constexpr std::uint32_t first_lane = 0x40000000U;  // first host of delays inside calls, which belong to no rank

// Maps devices of a group's own cluster to those of the real one.
struct Mapping {
    Fabric own, real;
    std::vector<std::uint32_t> members;  // rank of the own cluster -> real rank
    bool whole = false;                  // both clusters are the same

    std::uint32_t member(DeviceId device) const {
        return own.node_of(device) * own.gpus_per_node() + own.local_index(device);
    }
    DeviceId device(DeviceId of_own) const {
        if (own.kind(of_own) == DeviceKind::gpu) {
            return real.gpu(members[member(of_own)]);
        }
        const std::uint32_t node =
            members[std::size_t{own.node_of(of_own)} * own.gpus_per_node()] / real.gpus_per_node();
        return own.kind(of_own) == DeviceKind::nvswitch ? real.nvswitch(node) : real.nic(node, own.local_index(of_own));
    }
    // The NIC of the real GPU that corresponds to the planned rail's GPU.
    std::uint16_t nic(DeviceId end, std::uint16_t rail) const {
        if (rail == any_nic || own.kind(end) != DeviceKind::gpu) {
            return any_nic;
        }
        std::uint32_t local = own.local_index(end);
        for (std::uint32_t j = 0; j < own.gpus_per_node(); ++j) {
            if (own.nearest_nic(j) == rail) {
                local = j;
                break;
            }
        }
        return real.nearest_nic(members[own.node_of(end) * own.gpus_per_node() + local] % real.gpus_per_node());
    }
    PathQuery path(const PathQuery& planned) const {
        if (whole) {
            return planned;
        }
        PathQuery query = planned;
        query.src = device(planned.src);
        query.dst = device(planned.dst);
        query.flow_label = planned.flow_label + 131 * members.front();  // spreads groups over equal paths
        const bool crosses = real.node_of(query.src) != real.node_of(query.dst);
        query.src_nic = crosses ? nic(planned.src, planned.src_nic) : any_nic;
        query.dst_nic = crosses ? nic(planned.dst, planned.dst_nic) : any_nic;
        return query;
    }
};

// The edges of a plan on the real ranks; with `one_way` only those from the first of two ranks to the second.
struct MappedEdges {
    std::shared_ptr<const Mapping> map;
    EdgeSet planned;
    bool one_way = false;

    void operator()(const std::function<void(const Edge&)>& visit) const {
        for_each_edge(planned, map->own, [&](const Edge& edge) {
            if (!one_way || map->member(edge.path.src) == 0) {
                visit({map->path(edge.path), edge.count});
            }
        });
    }
};

}  // namespace

// `per_node` ranks on each of `nodes` nodes; `whole`: the group is the whole fabric.
struct PlannedCalls::Shape {
    std::uint32_t per_node = 1, nodes = 1;
    bool whole = false;
};

struct PlannedCalls::Cluster {
    explicit Cluster(Fabric f) : fabric(std::move(f)) {}
    struct Calls {
        CollectiveWorkload workload;
        std::unique_ptr<Planner> planner;
    };
    Fabric fabric;
    std::map<std::tuple<int, int, std::uint32_t, int>, std::unique_ptr<Calls>> planners;  // as PlanKey, but no size
    std::map<PlanKey, std::unique_ptr<const Plan>> plans;
};

struct PlannedCalls::Group {
    std::vector<std::uint32_t> asked;    // in the communicator's order
    std::vector<std::uint32_t> members;  // sorted, and so node by node
    Shape shape;
    std::shared_ptr<const Mapping> map;  // set by the first call
};

PlannedCalls::PlannedCalls(const Fabric& fabric, const LibrarySpec& library, const Catalog& catalog)
    : fabric_(fabric), library_(library), catalog_(catalog) {}

PlannedCalls::~PlannedCalls() = default;

std::uint32_t PlannedCalls::group(std::vector<std::uint32_t> members) {
    const auto [place, is_new] = group_numbers_.try_emplace(members, static_cast<std::uint32_t>(groups_.size()));
    if (!is_new) {
        return place->second;
    }
    auto group = std::make_unique<Group>();
    group->asked = members;
    std::sort(members.begin(), members.end());
    std::map<std::uint32_t, std::uint32_t> on_node;
    for (const std::uint32_t rank : members) {
        assert(rank < fabric_.gpu_count());
        ++on_node[rank / fabric_.gpus_per_node()];
    }
    const auto size = static_cast<std::uint32_t>(members.size());
    const std::uint32_t per_node = on_node.begin()->second;
    const bool even = std::all_of(on_node.begin(), on_node.end(), [&](const auto& n) { return n.second == per_node; });
    // If nodes have different numbers of members, each rank counts as a separate node: NCCL, too, then uses the
    // smallest number.
    group->shape = {even ? per_node : 1, even ? static_cast<std::uint32_t>(on_node.size()) : size,
                    size == fabric_.gpu_count()};
    group->members = std::move(members);
    groups_.push_back(std::move(group));
    return place->second;
}

PlannedCalls::Cluster& PlannedCalls::cluster(const Shape& shape) {
    std::unique_ptr<Cluster>& found = clusters_[{shape.per_node, shape.nodes, shape.whole}];
    if (found != nullptr) {
        return *found;
    }
    if (shape.whole) {
        found = std::make_unique<Cluster>(fabric_);
        return *found;
    }
    fabricast::Cluster cluster = fabric_.cluster();
    cluster.node.gpus = shape.per_node;
    cluster.nodes = shape.nodes;
    if (shape.nodes == 1) {
        cluster.fabric.kind = FabricKind::none;
    } else if (cluster.fabric.kind == FabricKind::explicit_graph) {
        throw PlanError("groups of some of the nodes need a fabric by kind, not one drawn device by device");
    } else if (cluster.fabric.kind != FabricKind::none) {
        // This fabric is only for the plan, which depends on how ranks are spread over nodes; paths are those of the
        // real fabric.
        cluster.fabric.kind = FabricKind::rail_optimized;
        cluster.fabric.shape.clear();
        cluster.fabric.tiers = 0;
    } else {
        throw PlanError("a group over several nodes needs a fabric between them");
    }
    found = std::make_unique<Cluster>(Fabric(std::move(cluster)));
    return *found;
}

const Plan& PlannedCalls::plan(Cluster& cluster, const Call& call) {
    const int collective = static_cast<int>(call.collective), dtype = static_cast<int>(call.dtype),
              protocol = static_cast<int>(call.protocol);
    std::unique_ptr<const Plan>& found = cluster.plans[{collective, dtype, call.size.count, call.root, protocol}];
    if (found != nullptr) {
        return *found;
    }
    std::unique_ptr<Cluster::Calls>& calls = cluster.planners[{collective, dtype, call.root, protocol}];
    if (calls == nullptr) {
        calls = std::make_unique<Cluster::Calls>();
        calls->workload.collective = call.collective;
        calls->workload.dtype = call.dtype;
        calls->workload.root = call.root;
        calls->workload.protocol = call.protocol;
        static const LaunchSpec launch;  // the recording itself contains the launch costs
        calls->planner = std::make_unique<Planner>(calls->workload, cluster.fabric, library_, launch, catalog_);
    }
    found = std::make_unique<const Plan>(calls->planner->plan(call.size));
    merge_notes(notes_, found->notes);
    merge_notes(evidence_notes_, found->evidence_notes);
    evidence_ = std::max(evidence_, found->evidence);
    return *found;
}

std::uint32_t PlannedCalls::edges(Schedule& schedule, const Plan& plan, std::uint32_t set, std::uint32_t group,
                                  bool one_way) {
    const auto [place, is_new] =
        edges_.try_emplace({&plan, set, group, one_way}, static_cast<std::uint32_t>(schedule.edge_sets.size()));
    if (is_new) {
        const std::shared_ptr<const Mapping>& map = groups_[group]->map;
        const EdgeSet& planned = plan.schedule.edge_sets[set];
        const std::uint64_t count = edge_count(planned);
        schedule.edge_sets.emplace_back(GeneratedEdges{count, MappedEdges{map, planned, one_way}});
    }
    return place->second;
}

std::uint32_t PlannedCalls::stages(Schedule& schedule, const Plan& plan, const Pipeline& pipeline,
                                   std::uint32_t group) {
    const auto [place, is_new] = stages_.try_emplace({&plan, pipeline.first_stage, group, false},
                                                     static_cast<std::uint32_t>(schedule.stages.size()));
    if (is_new) {
        for (std::uint32_t s = 0; s < pipeline.stage_count; ++s) {
            Stage stage = plan.schedule.stages[pipeline.first_stage + s];
            stage.hop = groups_[group]->map->path(stage.hop);
            schedule.stages.push_back(stage);
        }
    }
    return place->second;
}

// Adds the operations of a plan's first iteration without its issue, whose time the recording knows, and its end.
PlannedCalls::Added PlannedCalls::splice(Schedule& schedule, const Plan& plan, std::uint32_t group, As as,
                                         std::span<const Schedule::Dependency> after) {
    const Schedule& own = plan.schedule;
    const auto end = static_cast<std::uint32_t>(own.kept.front());
    std::vector<OpId> ids(end);
    std::vector<Schedule::Dependency> waits;
    const auto dependencies = [&](std::uint32_t op) {
        waits.clear();
        bool on_issue = false;
        for (std::size_t i = 0; i < own.dependency_count(OpId{op}); ++i) {
            const Schedule::Dependency d = own.dependency(OpId{op}, i);
            const auto on = static_cast<std::uint32_t>(d.op);
            on_issue = on_issue || on == 0;
            if (on != 0) {
                waits.push_back({ids[on], d.when});
            }
        }
        if (on_issue) {
            waits.insert(waits.end(), after.begin(), after.end());
        }
    };
    for (std::uint32_t op = 1; op < end; ++op) {
        dependencies(op);
        const std::uint32_t detail = own.detail(OpId{op});
        if (own.kind(OpId{op}) == OpKind::pipeline) {
            Pipeline pipeline = own.pipelines[detail];
            pipeline.first_stage = stages(schedule, plan, own.pipelines[detail], group);
            pipeline.edges = edges(schedule, plan, own.pipelines[detail].edges, group, as != As::call);
            if (as == As::step) {  // the kernel already runs, and a thread block is one channel
                pipeline.start = {};
                pipeline.bytes_per_edge *= pipeline.weight;
                pipeline.weight = 1;
            }
            ids[op] = schedule.add(pipeline, waits);
        } else if (own.kind(OpId{op}) == OpKind::delay) {
            ids[op] = schedule.add(Delay{first_lane + lanes_++, own.delays[detail].duration}, waits);
        } else if (own.kind(OpId{op}) == OpKind::transfer) {
            Transfer transfer = own.transfers[detail];
            Connection connection = own.connections[transfer.connection];
            connection.path = groups_[group]->map->path(connection.path);
            transfer.connection = static_cast<std::uint32_t>(schedule.connections.size());
            schedule.connections.push_back(connection);
            ids[op] = schedule.add(transfer, waits);
        }
    }
    if (end == 2) {
        return {ids[1], ids[1]};  // one pipeline, as most plans have
    }
    dependencies(end);
    const OpId last = schedule.add(Delay{first_lane + lanes_++, {}}, waits);
    return {end > 1 ? ids[1] : last, last};
}

PlannedCalls::Added PlannedCalls::add(Schedule& schedule, std::uint32_t number, const Call& call,
                                      std::span<const Schedule::Dependency> after) {
    Group& group = *groups_[number];
    Cluster& own = cluster(group.shape);
    if (group.map == nullptr) {
        group.map = std::make_shared<const Mapping>(Mapping{own.fabric, fabric_, group.members, group.shape.whole});
    }
    Call placed = call;
    const auto root = std::find(group.members.begin(), group.members.end(),
                                call.root < group.asked.size() ? group.asked[call.root] : group.asked.front());
    placed.root = static_cast<std::uint32_t>(root - group.members.begin());
    placed.size.count = std::max<std::int64_t>(call.size.count, size_of(call.dtype));
    return splice(schedule, plan(own, placed), number, As::call, after);
}

PlannedCalls::Added PlannedCalls::send(Schedule& schedule, std::uint32_t from, std::uint32_t to, Bytes size,
                                       Protocol protocol, std::span<const Schedule::Dependency> after) {
    assert(from != to);
    const auto [place, is_new] = pairs_.try_emplace({from, to}, static_cast<std::uint32_t>(groups_.size()));
    const bool one_node = from / fabric_.gpus_per_node() == to / fabric_.gpus_per_node();
    Cluster& own = cluster(one_node ? Shape{2, 1, false} : Shape{1, 2, false});
    if (is_new) {
        // In the pair's own cluster the sender is always rank 0, even if its real rank is the higher one.
        groups_.push_back(std::make_unique<Group>());
        groups_.back()->map = std::make_shared<const Mapping>(Mapping{own.fabric, fabric_, {from, to}, false});
    }
    const Call call{Collective::sendrecv, DataType::uint8, {std::max<std::int64_t>(size.count, 1)}, 0, protocol};
    return splice(schedule, plan(own, call), place->second, protocol == Protocol::automatic ? As::message : As::step,
                  after);
}

Duration PlannedCalls::kernel_start(Protocol protocol) {
    Cluster& pair = cluster(fabric_.gpus_per_node() > 1 ? Shape{2, 1, false} : Shape{1, 2, false});
    return plan(pair, {Collective::sendrecv, DataType::uint8, {1}, 0, protocol}).schedule.pipelines.front().start;
}

std::vector<FigureUsed> PlannedCalls::figures() const {
    std::vector<FigureUsed> all;
    for (const auto& [shape, cluster] : clusters_) {
        for (const auto& [key, plan] : cluster->plans) {
            merge_figures(all, plan->figures);
        }
    }
    return all;
}

}  // namespace fabricast
