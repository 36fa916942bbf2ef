#include "sim/plan/training/group_calls.hpp"

#include <algorithm>

namespace fabricast::inline training {

namespace {

// Changes a plan for the GPUs of `own` into one for `ranks` ranks, for uneven groups: the additional hops of a ring are
// inside nodes, and each edge carries its share for `ranks` ranks.
void resize(Pipeline& p, std::span<Stage> stages, const EdgeSet& edges, const Fabric& own, double ranks) {
    const double planned = own.gpu_count();
    if (std::holds_alternative<AllPairs>(edges)) {
        p.bytes_per_edge *= planned / ranks;
    } else if (p.cyclic) {
        double hops = 0;
        for (const Stage& stage : stages) { hops += stage.count; }
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
    return collective == Collective::all_reduce ? 5 : collective == Collective::reduce_scatter ? 3 : 2;
}

}  // namespace

// Fewer than one call are a part of one, with that part of its stages.
Pipeline repeated(Pipeline p, double times) {
    p.calls = std::max(1.0, times);
    p.bytes_per_edge *= times;
    p.start = from_seconds(to_seconds(p.start) * times);
    p.fill *= times;
    p.chunk = std::min(p.chunk, p.bytes_per_edge);
    return p;
}

// The planned pipeline on all groups.
Pipeline GroupCalls::on_groups(Schedule& schedule, const Prepared& ready, const Pipeline& planned,
                               const GroupCall& call, const Groups& groups, GroupDirection direction) {
    GroupsMapping mapping{{.own = plans_.fabric(ready.spread.shape), .real = fabric_}, groups, ready.spread.even};
    const Schedule& own = ready.plan->schedule;
    const auto first = own.stages.begin() + planned.first_stage;
    std::vector<Stage> stages(first, first + planned.stage_count);
    const EdgeSet& one = own.edge_sets[planned.edges];
    Pipeline pipeline = planned;
    if (!mapping.even) { resize(pipeline, stages, one, mapping.map.own, groups.size); }
    pipeline = repeated(pipeline, call.times);
    pipeline.first_stage = static_cast<std::uint32_t>(schedule.stages.size());
    for (Stage& stage : stages) {
        stage.count *= call.times;
        stage.hop = mapping.hop(stage.hop);
        schedule.stages.push_back(stage);
    }
    const auto [place, fresh] =
        edges_.try_emplace({&one, groups, direction}, static_cast<std::uint32_t>(schedule.edge_sets.size()));
    if (fresh) { schedule.edge_sets.push_back(edges_of_all(mapping, one, direction)); }
    pipeline.edges = place->second;
    if (call.rate > 0) {
        // The framework moves as much of its buffers whatever algorithm NCCL takes: what busbw counts.
        const double moved = ready.plan->bytes_moved_factor * call.bytes;
        pipeline.edge_rate_cap = std::min(pipeline.edge_rate_cap, call.rate * planned.bytes_per_edge / moved);
    }
    return pipeline;
}

GroupCalls::Prepared& GroupCalls::prepared(const GroupCall& call, const Groups& groups, GroupDirection direction) {
    Prepared& found = prepared_[{call.collective, call.bytes, call.times, groups, direction}];
    if (found.plan == nullptr) {
        found.spread = spread_of(groups, fabric_.gpus_per_node(), call.collective == Collective::all_to_all);
        const Bytes size = std::max(Bytes{2}, rounded_bytes(call.bytes));
        found.plan = &plans_.plan(
            found.spread.shape,
            {.collective = call.collective, .dtype = DataType::bfloat16, .size = size, .pairs = call.pairs});
    }
    return found;
}

std::vector<OpId> GroupCalls::add(Schedule& schedule, const GroupCall& call, const Groups& groups,
                                  std::span<const DeviceId> devices, std::span<const Schedule::Dependency> after,
                                  GroupDirection direction) {
    if (groups.size < 2 || call.bytes < 1 || !(call.times > 0)) { return {}; }
    Prepared& ready = prepared(call, groups, direction);
    Evidence& weakest = evidence_.at(static_cast<std::size_t>(call.kind));
    weakest = std::max(weakest, ready.plan->evidence);
    const auto on_all = [&](const Pipeline& planned) {
        const auto [place, fresh] = ready.pipelines.try_emplace(&planned);
        if (fresh) {
            Pipeline& pipeline = place->second;
            pipeline = on_groups(schedule, ready, planned, call, groups, direction);
            pipeline.first_occupancy = static_cast<std::uint32_t>(schedule.occupancies.size());
            pipeline.occupancy_count = static_cast<std::uint32_t>(devices.size());
            const double bytes = memory_passes(call.collective) * call.bytes * call.times;
            for (const DeviceId device : devices) {  // a channel is a block of threads, which occupies an SM
                schedule.occupancies.push_back({device, static_cast<std::uint16_t>(ready.plan->channels), bytes});
            }
        }
        return place->second;
    };
    const auto refused = [](const Connection&) -> Connection {
        throw PlanError("a training workload takes no algorithm that is planned message by message");
    };
    std::vector<OpId> ends;
    for (const Schedule::Dependency& end : plans_.add(schedule, *ready.plan, {on_all, refused}, after).ends) {
        ends.push_back(end.op);
    }
    return ends;
}

}  // namespace fabricast::inline training
