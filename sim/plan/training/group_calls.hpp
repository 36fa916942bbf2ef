#pragma once
// The collectives of a training step: all groups of a kind become one operation that has the edges of all of them, so
// that shared links are counted.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "sim/plan/training/group_edges.hpp"
#include "sim/plan/training/layer_costs.hpp"

namespace fabricast::inline training {

// One operation for `times` calls one after another.
Pipeline repeated(Pipeline pipeline, double times);

class GroupCalls {
public:
    // Keeps references to its arguments. `plans` are of groups of this fabric; other steps may have filled them before.
    GroupCalls(const Fabric& fabric, GroupPlans& plans) : fabric_(fabric), plans_(plans) {}

    // Adds the call on all of the groups, after `after`, and returns the operations that end it; none if groups have
    // only one rank or nothing moves. While it runs, it occupies SMs of `devices`, which represent the groups' GPUs.
    // Throws PlanError.
    std::vector<OpId> add(Schedule& schedule, const GroupCall& call, const Groups& groups,
                          std::span<const DeviceId> devices, std::span<const Schedule::Dependency> after,
                          GroupDirection direction = GroupDirection::both);

    // By CommKind, the weakest evidence among the plans for calls of it.
    const std::array<Evidence, comm_kinds>& evidence() const { return evidence_; }

private:
    // One call on its groups, so that it can be added again.
    struct Prepared {
        const CallPlan* plan = nullptr;
        SpreadGroups spread{};
        std::map<const Pipeline*, Pipeline> pipelines{};  // on all groups, by the plan's
    };
    Prepared& prepared(const GroupCall& call, const Groups& groups, GroupDirection direction);
    Pipeline on_groups(Schedule& schedule, const Prepared& ready, const Pipeline& planned, const GroupCall& call,
                       const Groups& groups, GroupDirection direction);

    const Fabric& fabric_;
    GroupPlans& plans_;
    std::map<std::tuple<Collective, double, double, Groups, GroupDirection>, Prepared> prepared_;
    std::map<std::tuple<const EdgeSet*, Groups, GroupDirection>, std::uint32_t> edges_;
    std::array<Evidence, comm_kinds> evidence_{};
};

}  // namespace fabricast::inline training
