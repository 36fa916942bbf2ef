#pragma once
// Collectives over groups of ranks, as the planner of whole clusters would run them on a cluster of just one group's
// ranks; all groups of a kind become one operation that has the edges of all of them, so that shared links are counted.
// Identical groups need only one plan.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/library.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/plan/training/layer_costs.hpp"
#include "sim/plan/training/layout.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// Which edges of an exchange between two ranks are used: both, those from the first rank to the second, or those back.
enum class GroupDirection : std::uint8_t { both, onward, back };

// How a group is spread over nodes: on each of `nodes` nodes it has `per_node` GPUs at a distance of `apart`.
struct GroupShape {
    std::uint32_t per_node = 1, nodes = 1, apart = 1;
    bool even = true;  // false: some nodes have more of its GPUs than others
    friend bool operator<(const GroupShape& a, const GroupShape& b) {
        return std::tie(a.per_node, a.nodes, a.apart) < std::tie(b.per_node, b.nodes, b.apart);
    }
};
// The shape that a group's calls are planned with. For uneven groups per_node is that of the node with the fewest GPUs,
// which limits the channels of all (NCCL takes the smallest number that any rank found, init.cc, initTransportsRank);
// with `all_pairs` only the number of ranks matters.
GroupShape shape_of(const Groups& groups, std::uint32_t gpus_per_node, bool all_pairs);

// One operation for `times` calls one after another: exact for a ring; for a stream, the calls in the steady state.
Pipeline repeated(Pipeline pipeline, double times);

class GroupCalls {
public:
    // Keeps references to its arguments.
    GroupCalls(const Fabric& fabric, const LibrarySpec& library, const Catalog& catalog);
    ~GroupCalls();
    GroupCalls(const GroupCalls&) = delete;
    GroupCalls& operator=(const GroupCalls&) = delete;

    // Adds the call on all of the groups, after `after`, and returns the operations that end it; none if groups have
    // only one rank or nothing moves. While it runs, it occupies SMs of `devices`, which represent the groups' GPUs.
    // Throws PlanError.
    std::vector<OpId> add(Schedule& schedule, const GroupCall& call, const Groups& groups,
                          std::span<const DeviceId> devices, std::span<const Schedule::Dependency> after,
                          GroupDirection direction = GroupDirection::both);

    std::vector<FigureUsed> figures() const;
    const std::vector<std::string>& notes() const { return notes_; }
    // The weakest evidence among the plans for calls of this kind.
    Evidence evidence(CommKind kind) const { return evidence_.at(static_cast<std::size_t>(kind)); }
    const std::vector<std::string>& evidence_notes() const { return evidence_notes_; }

private:
    struct Member;  // the cluster of one group, with its planners
    struct Template;
    Member& member(const GroupShape& shape);
    const Plan& plan_of(const GroupCall& call, const GroupShape& shape);
    const Template& prepared(Schedule& schedule, const GroupCall& call, const Groups& groups,
                             std::span<const DeviceId> devices, GroupDirection direction);

    const Fabric& fabric_;
    const LibrarySpec& library_;
    const Catalog& catalog_;
    LaunchSpec launch_;
    std::map<GroupShape, std::unique_ptr<Member>> members_;
    using TemplateKey =
        std::tuple<int, double, double, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, int>;
    std::map<TemplateKey, std::unique_ptr<Template>> templates_;
    using EdgeKey =
        std::tuple<const void*, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, int>;
    std::map<EdgeKey, std::uint32_t> edges_;
    std::vector<std::string> notes_, evidence_notes_;
    std::array<Evidence, comm_kinds> evidence_{};
    std::uint32_t lanes_ = 0;  // a separate host for each delay, so that calls do not wait for each other's
};

}  // namespace fabricast
