#pragma once
// The calls that a trace replays: calls on any ranks of a fabric.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/group_plans.hpp"

namespace fabricast::inline traces {

class PlannedCalls {
public:
    // Keeps references to its arguments.
    PlannedCalls(const Fabric& fabric, const LibrarySpec& library, const Catalog& catalog)
        : fabric_(fabric), plans_(fabric, library, catalog, true) {}

    // The operations of one call: it runs from the start of `first` to the finish of `last`. Another one like it may
    // start at the finish of `released`: earlier than `last` where a stream has left its first rank.
    struct Added {
        OpId first{}, last{}, released = last;
    };

    // Ranks that call together, each listed once; the result identifies them in `add`.
    std::uint32_t group(std::vector<std::uint32_t> members);
    // Adds a call of a group of at least two ranks, after `after`; its root is a place in it. Throws PlanError.
    Added add(Schedule& schedule, std::uint32_t group, const GroupCallSpec& call,
              std::span<const Schedule::Dependency> after);
    // Adds one message as ncclSend and ncclRecv move it or, with a protocol, as a step of a kernel that already runs,
    // on one of its channels. Precondition: two different ranks.
    Added send(Schedule& schedule, std::uint32_t from, std::uint32_t to, Bytes size, Protocol protocol,
               std::span<const Schedule::Dependency> after);
    // The time that such a kernel takes to start.
    Duration kernel_start(Protocol protocol);

    const GroupPlans& plans() const { return plans_; }

private:
    struct Group {
        std::vector<std::uint32_t> asked{};    // in the communicator's order
        std::vector<std::uint32_t> members{};  // sorted, and so node by node
        GroupShape shape;
        std::shared_ptr<const GroupMapping> map{};  // set by the first call
    };
    enum class As : std::uint8_t { call, message, step };

    void map(Group& group, const std::vector<std::uint32_t>& ranks);
    Added splice(Schedule& schedule, const CallPlan& plan, std::uint32_t group, As as,
                 std::span<const Schedule::Dependency> after);
    std::uint32_t edges(Schedule& schedule, const CallPlan& plan, std::uint32_t set, std::uint32_t group, bool one_way);
    std::uint32_t stages(Schedule& schedule, const CallPlan& plan, const Pipeline& pipeline, std::uint32_t group);

    const Fabric& fabric_;
    GroupPlans plans_;
    std::vector<Group> groups_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> group_numbers_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pairs_;  // sender, receiver -> groups_
    std::map<std::tuple<const CallPlan*, std::uint32_t, std::uint32_t, bool>, std::uint32_t> edges_, stages_;
};

}  // namespace fabricast::inline traces
