#include "sim/plan/traces/planned_calls.hpp"

#include <algorithm>
#include <cassert>

namespace fabricast::inline traces {

namespace {

// The edges of a plan on the real ranks; with `one_way` only those from the first of two ranks to the second.
struct MappedEdges {
    std::shared_ptr<const GroupMapping> map;
    EdgeSet planned;
    bool one_way = false;

    void operator()(const std::function<void(const Edge&)>& visit) const {
        for_each_edge(planned, map->own, [&](const Edge& edge) {
            if (!one_way || map->member_of(edge.path.src) == 0) { visit(on_path(edge, map->path(edge.path))); }
        });
    }
};

constexpr GroupShape pair_inside{.per_node = 2, .nodes = 1}, pair_between{.per_node = 1, .nodes = 2};

}  // namespace

std::uint32_t PlannedCalls::group(std::vector<std::uint32_t> members) {
    const auto [place, is_new] = group_numbers_.try_emplace(members, static_cast<std::uint32_t>(groups_.size()));
    if (!is_new) { return place->second; }
    const std::vector<std::uint32_t> asked = members;
    std::ranges::sort(members);
    std::map<std::uint32_t, std::uint32_t> on_node;
    for (const std::uint32_t rank : members) {
        assert(rank < fabric_.gpu_count());
        ++on_node[rank / fabric_.gpus_per_node()];
    }
    const auto size = static_cast<std::uint32_t>(members.size());
    const std::uint32_t per_node = on_node.begin()->second;
    const bool even = std::ranges::all_of(on_node, [&](const auto& n) { return n.second == per_node; });
    // If nodes have different numbers of members, each rank counts as a node: NCCL, too, then uses the smallest number.
    const GroupShape shape{.per_node = even ? per_node : 1,
                           .nodes = even ? static_cast<std::uint32_t>(on_node.size()) : size,
                           .whole = size == fabric_.gpu_count()};
    groups_.push_back({asked, std::move(members), shape});
    return place->second;
}

void PlannedCalls::map(Group& group, const std::vector<std::uint32_t>& ranks) {
    group.map = std::make_shared<const GroupMapping>(GroupMapping{.own = plans_.fabric(group.shape),
                                                                  .real = fabric_,
                                                                  .ranks = ranks,
                                                                  .label = 131 * ranks.front(),
                                                                  .whole = group.shape.whole});
}

std::uint32_t PlannedCalls::edges(Schedule& schedule, const CallPlan& plan, std::uint32_t set, std::uint32_t group,
                                  bool one_way) {
    const auto [place, is_new] =
        edges_.try_emplace({&plan, set, group, one_way}, static_cast<std::uint32_t>(schedule.edge_sets.size()));
    if (is_new) {
        const EdgeSet& planned = plan.schedule.edge_sets[set];
        schedule.edge_sets.emplace_back(
            GeneratedEdges{edge_count(planned), MappedEdges{groups_[group].map, planned, one_way}});
    }
    return place->second;
}

std::uint32_t PlannedCalls::stages(Schedule& schedule, const CallPlan& plan, const Pipeline& pipeline,
                                   std::uint32_t group) {
    const auto [place, is_new] = stages_.try_emplace({&plan, pipeline.first_stage, group, false},
                                                     static_cast<std::uint32_t>(schedule.stages.size()));
    if (is_new) {
        for (std::uint32_t s = 0; s < pipeline.stage_count; ++s) {
            Stage stage = plan.schedule.stages[pipeline.first_stage + s];
            stage.hop = groups_[group].map->path(stage.hop);
            schedule.stages.push_back(stage);
        }
    }
    return place->second;
}

// The recording knows the time of the issue.
PlannedCalls::Added PlannedCalls::splice(Schedule& schedule, const CallPlan& plan, std::uint32_t group, As as,
                                         std::span<const Schedule::Dependency> after) {
    const GroupPlans::Placement placement{
        [&](const Pipeline& planned) {
            Pipeline pipeline = planned;
            pipeline.first_stage = stages(schedule, plan, planned, group);
            pipeline.edges = edges(schedule, plan, planned.edges, group, as != As::call);
            if (as == As::step) {  // the kernel already runs, and a thread block is one channel
                pipeline.start = {};
                pipeline.bytes_per_edge *= pipeline.weight;
                pipeline.weight = 1;
            }
            return pipeline;
        },
        [&](const Connection& planned) {
            Connection connection = planned;
            connection.path = groups_[group].map->path(planned.path);
            return connection;
        }};
    const auto [first, ends] = plans_.add(schedule, plan, placement, after);
    if (plan.schedule.kept.front() == OpId{2}) {  // one pipeline, as most plans have
        const bool overlaps = plan.timed_calls > 0;
        return {first, first, overlaps ? schedule.add(Delay{plans_.next_lane(), {}}, ends) : first};
    }
    const OpId last = schedule.add(Delay{plans_.next_lane(), {}}, ends);
    return {plan.schedule.kept.front() > OpId{1} ? first : last, last};
}

PlannedCalls::Added PlannedCalls::add(Schedule& schedule, std::uint32_t number, const GroupCallSpec& call,
                                      std::span<const Schedule::Dependency> after) {
    Group& group = groups_[number];
    if (group.map == nullptr) { map(group, group.members); }
    GroupCallSpec placed = call;
    const auto root = std::ranges::find(group.members, group.asked[call.root < group.asked.size() ? call.root : 0]);
    placed.root = static_cast<std::uint32_t>(root - group.members.begin());
    placed.size.count = std::max<std::int64_t>(call.size.count, size_of(call.dtype));
    return splice(schedule, plans_.plan(group.shape, placed), number, As::call, after);
}

PlannedCalls::Added PlannedCalls::send(Schedule& schedule, std::uint32_t from, std::uint32_t to, Bytes size,
                                       Protocol protocol, std::span<const Schedule::Dependency> after) {
    assert(from != to);
    const auto [place, is_new] = pairs_.try_emplace({from, to}, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) {
        // In the pair's own cluster the sender is always rank 0, even if its real rank is the higher one.
        const bool one_node = from / fabric_.gpus_per_node() == to / fabric_.gpus_per_node();
        groups_.push_back({.shape = one_node ? pair_inside : pair_between});
        map(groups_.back(), {from, to});
    }
    const GroupCallSpec call{Collective::sendrecv, DataType::uint8, std::max(size, Bytes{1}), 0, protocol};
    return splice(schedule, plans_.plan(groups_[place->second].shape, call), place->second,
                  protocol == Protocol::automatic ? As::message : As::step, after);
}

Duration PlannedCalls::kernel_start(Protocol protocol) {
    const GroupShape& pair = fabric_.gpus_per_node() > 1 ? pair_inside : pair_between;
    const GroupCallSpec call{Collective::sendrecv, DataType::uint8, {1}, 0, protocol};
    return plans_.plan(pair, call).schedule.pipelines.front().start;
}

}  // namespace fabricast::inline traces
