#include "sim/plan/collectives/group_plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline collectives {

std::uint32_t GroupMapping::member_of(DeviceId of_own) const {
    return own.node_of(of_own) * own.gpus_per_node() + own.local_index(of_own);
}

DeviceId GroupMapping::device(DeviceId of_own) const {
    if (own.kind(of_own) == DeviceKind::gpu) { return real.gpu(ranks[member_of(of_own)]); }
    const std::uint32_t node = ranks[std::size_t{own.node_of(of_own)} * own.gpus_per_node()] / real.gpus_per_node();
    return own.kind(of_own) == DeviceKind::nvswitch ? real.nvswitch(node) : real.nic(node, own.local_index(of_own));
}

// The rail of the real GPU that corresponds to this rail's GPU; the end's own if no GPU is on this rail, or if its NIC
// is far from the end and nothing forwards to it.
std::uint16_t GroupMapping::nic(DeviceId end, std::uint16_t rail, bool forwarded) const {
    if (rail == any_nic || own.kind(end) != DeviceKind::gpu) { return any_nic; }
    const std::uint32_t per_node = own.gpus_per_node();
    std::uint32_t local = 0;
    while (local < per_node && own.nearest_nic(local) != rail) { ++local; }
    const auto place = [&](std::uint32_t index) { return real.gpu(ranks[own.node_of(end) * per_node + index]); };
    const std::uint16_t mapped = real.nearest_nic(place(local < per_node ? local : own.local_index(end)));
    if (forwarded) { return mapped; }
    const DeviceId here = place(own.local_index(end));
    return std::ranges::count(real.near_nics(here), mapped) > 0 ? mapped : real.nearest_nic(here);
}

PathQuery GroupMapping::path(const PathQuery& planned) const {
    if (whole) { return planned; }
    PathQuery query = planned;
    query.src = device(planned.src);
    query.dst = device(planned.dst);
    query.flow_label = planned.flow_label + label;
    const bool crosses = real.node_of(query.src) != real.node_of(query.dst);
    // Where no switch joins two rails, the sender takes the receiver's, whatever the group's own cluster has.
    const bool by_own_rail = crosses && real.generator().joins_rails();
    query.src_nic = by_own_rail ? nic(planned.src, planned.src_nic, query.forwarded) : any_nic;
    query.dst_nic = crosses ? nic(planned.dst, planned.dst_nic, query.forwarded) : any_nic;
    return query;
}

namespace {

// The node with only the group's GPUs in it, renumbered; everything else stays as it is.
NodeTemplate node_of(const NodeTemplate& full, const GroupShape& shape) {
    NodeTemplate node = full;
    node.gpus = shape.per_node;
    const auto kept = [&](const std::string& name) -> std::string {
        const std::optional<std::uint32_t> index =
            name.starts_with("gpu") ? number_in<std::uint32_t>(std::string_view(name).substr(3)) : std::nullopt;
        if (!index) {
            return name;  // no GPU, or the user's own device whose name begins with "gpu"
        }
        const bool ours = *index % shape.apart == 0 && *index / shape.apart < shape.per_node;
        return ours ? fmt::format("gpu{}", *index / shape.apart) : std::string();
    };
    std::erase_if(node.devices, [&](const NodeDevice& d) { return kept(d.name).empty(); });
    std::erase_if(node.cables, [&](const NodeCable& c) { return kept(c.a).empty() || kept(c.b).empty(); });
    for (NodeDevice& device : node.devices) { device.name = kept(device.name); }
    for (NodeCable& cable : node.cables) {
        cable.a = kept(cable.a);
        cable.b = kept(cable.b);
    }
    return node;
}

// The same node with fewer GPUs, and the same links. Its fabric is only for the plan, which depends on how ranks are
// spread over nodes; paths are those of the real fabric.
Cluster cluster_of(const Fabric& fabric, const GroupShape& shape) {
    Cluster cluster = fabric.cluster();
    if (shape.whole) { return cluster; }
    cluster.node = node_of(fabric.node(), shape);
    cluster.fabric.link = fabric.port();
    cluster.runs.clear();
    cluster.nodes = shape.nodes;
    cluster.place.clear();
    if (shape.nodes == 1) {
        cluster.fabric.kind = FabricKind::none;
    } else if (cluster.fabric.kind == FabricKind::none) {
        throw PlanError("a group over several nodes needs a fabric between them");
    } else {
        cluster.fabric.kind = FabricKind::rail_optimized;
        cluster.fabric.shape.clear();
        cluster.fabric.tiers = 0;
    }
    return cluster;
}

}  // namespace

GroupPlans::Member& GroupPlans::member(const GroupShape& shape) {
    if (const auto known = members_.find(shape); known != members_.end()) { return known->second; }
    Member made{shape.whole ? fabric_ : Fabric(cluster_of(fabric_, shape))};
    return members_.emplace(shape, std::move(made)).first->second;
}

const Fabric& GroupPlans::fabric(const GroupShape& shape) { return member(shape).fabric; }

const CallPlan& GroupPlans::plan(const GroupShape& shape, const GroupCallSpec& call) {
    Member& group = member(shape);
    if (const auto known = group.plans.find(call); known != group.plans.end()) { return known->second; }
    GroupCallSpec of_any_size = call;
    of_any_size.size = {};
    const CollectiveWorkload workload{.collective = call.collective,
                                      .protocol = call.protocol,
                                      .sizes = {},
                                      .dtype = call.dtype,
                                      .root = call.root,
                                      .pairs = call.pairs};
    static const LaunchSpec launch;
    const Planner& planner =
        group.planners.try_emplace(of_any_size, workload, group.fabric, library_, launch, catalog_).first->second;
    const CallPlan& plan = group.plans.emplace(call, planner.plan(call.size, judged_)).first->second;
    merge_notes(notes_, plan.notes);
    merge_notes(evidence_notes_, plan.evidence_notes);
    return plan;
}

GroupPlans::Added GroupPlans::add(Schedule& schedule, const CallPlan& plan, const Placement& placement,
                                  std::span<const Schedule::Dependency> after) {
    const Schedule& own = plan.schedule;
    const auto end = static_cast<std::uint32_t>(own.kept.front());
    std::vector<OpId> ids(end);  // by number in the plan; 0 is the issue
    const auto waits_of = [&](std::uint32_t op) {
        std::vector<Schedule::Dependency> waits;
        bool on_issue = false;
        for (std::size_t i = 0; i < own.dependency_count(OpId{op}); ++i) {
            const Schedule::Dependency d = own.dependency(OpId{op}, i);
            const auto on = static_cast<std::uint32_t>(d.op);
            on_issue = on_issue || on == 0;
            if (on != 0) { waits.push_back({ids[on], d.when}); }
        }
        if (on_issue) { waits.insert(waits.end(), after.begin(), after.end()); }
        return waits;
    };
    for (std::uint32_t op = 1; op < end; ++op) {
        const std::vector<Schedule::Dependency> waits = waits_of(op);
        const std::uint32_t detail = own.detail(OpId{op});
        switch (own.kind(OpId{op})) {
            case OpKind::pipeline: ids[op] = schedule.add(placement.pipeline(own.pipelines[detail]), waits); break;
            case OpKind::delay: ids[op] = schedule.add(Delay{next_lane(), own.delays[detail].duration}, waits); break;
            case OpKind::transfer: {
                Transfer transfer = own.transfers[detail];
                const Connection connection = placement.connection(own.connections[transfer.connection]);
                transfer.connection = static_cast<std::uint32_t>(schedule.connections.size());
                schedule.connections.push_back(connection);
                ids[op] = schedule.add(transfer, waits);
                break;
            }
            case OpKind::compute:  // no collective computes
                break;
        }
    }
    return {end > 1 ? ids[1] : OpId{}, waits_of(end)};
}

std::vector<FigureUsed> GroupPlans::figures() const {
    std::vector<FigureUsed> all;
    for (const auto& [shape, member] : members_) {
        for (const auto& [key, plan] : member.plans) { merge_figures(all, plan.figures); }
    }
    return all;
}

}  // namespace fabricast::inline collectives
