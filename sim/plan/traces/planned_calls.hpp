#pragma once
// The calls that a trace replays: calls on any ranks of a fabric, as the planner of whole clusters would run them on a
// cluster of just these ranks. A plan is made once for each shape, collective and size.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/collectives/planner.hpp"

namespace fabricast {

class PlannedCalls {
public:
    // Keeps references to its arguments.
    PlannedCalls(const Fabric& fabric, const LibrarySpec& library, const Catalog& catalog);
    ~PlannedCalls();
    PlannedCalls(const PlannedCalls&) = delete;
    PlannedCalls& operator=(const PlannedCalls&) = delete;

    struct Call {
        Collective collective = Collective::all_reduce;
        DataType dtype = DataType::float32;
        Bytes size;              // nccl-tests' size
        std::uint32_t root = 0;  // place in the group's members
        Protocol protocol = Protocol::automatic;
    };
    // The operations of one call: it runs from the start of `first` to the finish of `last`.
    struct Added {
        OpId first{}, last{};
    };

    // Ranks that call together, each listed once; the result identifies them in `add`.
    std::uint32_t group(std::vector<std::uint32_t> members);
    // Adds a call of a group of at least two ranks, after `after`. Throws PlanError.
    Added add(Schedule& schedule, std::uint32_t group, const Call& call, std::span<const Schedule::Dependency> after);
    // Adds one message as ncclSend and ncclRecv move it or, with a protocol, as a step of a kernel that already runs,
    // on one of its channels. Precondition: two different ranks.
    Added send(Schedule& schedule, std::uint32_t from, std::uint32_t to, Bytes size, Protocol protocol,
               std::span<const Schedule::Dependency> after);
    // The time that such a kernel takes to start.
    Duration kernel_start(Protocol protocol);

    std::vector<FigureUsed> figures() const;
    const std::vector<std::string>& notes() const { return notes_; }
    const std::vector<std::string>& evidence_notes() const { return evidence_notes_; }
    Evidence evidence() const { return evidence_; }  // the weakest of all plans

private:
    struct Shape;    // how members are spread over nodes
    struct Cluster;  // cluster of one shape, with its planners
    struct Group;
    using PlanKey = std::tuple<int, int, std::int64_t, std::uint32_t, int>;  // collective, type, size, root, protocol

    Cluster& cluster(const Shape& shape);
    const Plan& plan(Cluster& cluster, const Call& call);
    enum class As : std::uint8_t { call, message, step };
    Added splice(Schedule& schedule, const Plan& plan, std::uint32_t group, As as,
                 std::span<const Schedule::Dependency> after);
    std::uint32_t edges(Schedule& schedule, const Plan& plan, std::uint32_t set, std::uint32_t group, bool one_way);
    std::uint32_t stages(Schedule& schedule, const Plan& plan, const Pipeline& pipeline, std::uint32_t group);

    const Fabric& fabric_;
    const LibrarySpec& library_;
    const Catalog& catalog_;
    std::vector<std::unique_ptr<Group>> groups_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> group_numbers_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pairs_;  // sender, receiver -> groups_
    std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::unique_ptr<Cluster>> clusters_;
    std::map<std::tuple<const Plan*, std::uint32_t, std::uint32_t, bool>, std::uint32_t> edges_, stages_;
    std::vector<std::string> notes_, evidence_notes_;
    Evidence evidence_ = Evidence::measured_here;
    std::uint32_t lanes_ = 0;  // a separate host for each delay of a plan, so that calls do not wait for each other's
};

}  // namespace fabricast
