#pragma once
// Collectives over groups of ranks, as the planner of whole clusters would run them on a cluster of just one group's
// ranks; all groups of a kind become one operation whose edges are those of all of them, so that shared links are
// counted. Identical groups cost one plan.

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

// Which edges of a pair's exchange are used: both ways, from the first rank to the second, or back.
enum class GroupDirection : std::uint8_t { both, onward, back };

// How a group lies on nodes: `per_node` GPUs, `apart` from each other, on each of `nodes`.
struct GroupShape {
    std::uint32_t per_node = 1, nodes = 1, apart = 1;
    bool even = true;  // else some of its nodes have more of its GPUs
    friend bool operator<(const GroupShape& a, const GroupShape& b) {
        return std::tie(a.per_node, a.nodes, a.apart) < std::tie(b.per_node, b.nodes, b.apart);
    }
};
// Of groups that lie unevenly: the node with the fewest GPUs tells how many channels all have (NCCL takes the smallest
// number that any rank found, init.cc, initTransportsRank); all pairs only ask for the number of ranks.
GroupShape shape_of(const Groups& groups, std::uint32_t gpus_per_node, bool all_pairs);

// The operation of `times` calls one after the other: for a ring just that, for a stream their steady states.
Pipeline repeated(Pipeline pipeline, double times);

class GroupCalls {
public:
    // Keeps references to what it is given.
    GroupCalls(const Fabric& fabric, const LibrarySpec& library, const Catalog& catalog);
    ~GroupCalls();
    GroupCalls(const GroupCalls&) = delete;
    GroupCalls& operator=(const GroupCalls&) = delete;

    // Adds the call on all of the groups behind `after` and returns the operations that end it; none where a group has
    // one rank or nothing moves. While it runs it holds SMs of `devices`, which stand for the groups' GPUs. Throws
    // PlanError.
    std::vector<OpId> add(Schedule& schedule, const GroupCall& call, const Groups& groups,
                          std::span<const DeviceId> devices, std::span<const Schedule::Dependency> after,
                          GroupDirection direction = GroupDirection::both);

    std::vector<FigureUsed> figures() const;
    const std::vector<std::string>& notes() const { return notes_; }
    // The weakest of the plans of a kind's calls, and what told their constants.
    Evidence evidence(CommKind kind) const { return evidence_.at(static_cast<std::size_t>(kind)); }
    const std::vector<std::string>& evidence_notes() const { return evidence_notes_; }

private:
    struct Member;  // a group's cluster and its planners
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
    std::uint32_t lanes_ = 0;  // of host threads, so that no two calls wait for each other's
};

}  // namespace fabricast
