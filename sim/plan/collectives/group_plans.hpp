#pragma once
// Calls of groups of ranks in a larger schedule. A group's call is planned as the planner of whole clusters would run
// it on a cluster of the group's ranks; its operations are then placed on the real ranks. Equal groups need one plan.

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/plan/collectives/planner.hpp"

namespace fabricast::inline collectives {

// How a group is spread over nodes: on each of `nodes` nodes it has `per_node` GPUs at a distance of `apart`.
struct GroupShape {
    std::uint32_t per_node = 1, nodes = 1, apart = 1;
    bool whole = false;  // the group is the whole fabric
    friend auto operator<=>(const GroupShape&, const GroupShape&) = default;
};

struct GroupCallSpec {
    Collective collective = Collective::all_reduce;
    DataType dtype = DataType::float32;
    Bytes size;              // nccl-tests' size
    std::uint32_t root = 0;  // rank in the group
    Protocol protocol = Protocol::automatic;
    bool pairs = false;  // as in CollectiveWorkload
    friend auto operator<=>(const GroupCallSpec&, const GroupCallSpec&) = default;
};

// Maps devices of a group's own cluster to those of the real one.
struct GroupMapping {
    Fabric own, real;
    std::vector<std::uint32_t> ranks{};  // rank in the real cluster of each rank of `own`
    std::uint32_t label = 0;             // added to flow labels: spreads groups over equal paths
    bool whole = false;                  // both clusters are the same

    std::uint32_t member_of(DeviceId of_own) const;  // rank in the group
    DeviceId device(DeviceId of_own) const;
    PathQuery path(const PathQuery& planned) const;

private:
    std::uint16_t nic(DeviceId end, std::uint16_t rail, bool forwarded) const;
};

class GroupPlans {
public:
    // Keeps references to its arguments. `judged` as in Planner::plan.
    GroupPlans(const Fabric& fabric, const LibrarySpec& library, const Catalog& catalog, bool judged)
        : fabric_(fabric), library_(library), catalog_(catalog), judged_(judged) {}

    // The cluster of a group of this shape, and a call's plan on it. Both throw PlanError.
    const Fabric& fabric(const GroupShape& shape);
    const CallPlan& plan(const GroupShape& shape, const GroupCallSpec& call);

    // What planned pipelines and connections become on the real ranks.
    struct Placement {
        std::function<Pipeline(const Pipeline&)> pipeline;
        std::function<Connection(const Connection&)> connection;
    };
    struct Added {
        OpId first{};
        std::vector<Schedule::Dependency> ends;  // the operations that end the call
    };
    // Adds a plan's first iteration, without its issue and its end. What waits for the issue waits for `after` instead.
    Added add(Schedule& schedule, const CallPlan& plan, const Placement& placement,
              std::span<const Schedule::Dependency> after);
    // A host of its own, so that delays of different calls do not wait for each other.
    std::uint32_t next_lane() { return first_lane + lanes_++; }

    std::vector<FigureUsed> figures() const;
    const std::vector<std::string>& notes() const { return notes_; }
    const std::vector<std::string>& evidence_notes() const { return evidence_notes_; }

private:
    struct Member {
        Fabric fabric;                                // the cluster of one shape
        std::map<GroupCallSpec, Planner> planners{};  // of calls without their size
        std::map<GroupCallSpec, CallPlan> plans{};
    };
    static constexpr std::uint32_t first_lane = 0x40000000U;  // delays inside calls belong to no rank
    Member& member(const GroupShape& shape);

    const Fabric& fabric_;
    const LibrarySpec& library_;
    const Catalog& catalog_;
    const bool judged_;
    std::map<GroupShape, Member> members_;
    std::vector<std::string> notes_, evidence_notes_;
    std::uint32_t lanes_ = 0;
};

}  // namespace fabricast::inline collectives
