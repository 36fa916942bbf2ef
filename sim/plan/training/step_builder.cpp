#include "sim/plan/training/step_builder.hpp"

#include <array>

namespace fabricast::inline training {

namespace {

Ends finishes(const std::vector<OpId>& ops) {
    Ends ends;
    for (const OpId op : ops) { ends.push_back({op}); }
    return ends;
}

}  // namespace

Ends joined(Ends a, const Ends& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

DeviceId StepBuilder::device(std::uint32_t stage, std::uint32_t lane) const {
    return fabric_.gpu(step_.layout.device_rank(stage, lane == Layout::all ? 0 : lane));
}

// Records that all operations which are not recorded yet are for `what`, with the tag `as`.
void StepBuilder::tag(StepOp what, StepTag as) {
    what.tag = as;
    for (std::size_t op = plan_.ops.size(); op < plan_.schedule.size(); ++op) {
        plan_.ops.push_back(what);
        plan_.schedule.kept.push_back(OpId{static_cast<std::uint32_t>(op)});
    }
}

Ends StepBuilder::add(const GroupCall& call, const Groups& groups, std::span<const DeviceId> devices,
                      const StepOp& what, Ends after, GroupDirection direction) {
    const std::vector<OpId> ends = calls_.add(plan_.schedule, call, groups, devices, after, direction);
    tag(what, static_cast<StepTag>(call.kind));
    return ends.empty() ? after : finishes(ends);
}

Ends StepBuilder::compute(const Work& work, const StepOp& what, std::uint32_t lane, Ends after) {
    for (const Compute& kernel : step_.costs.computes(work, device(what.stage, lane))) {
        after = finishes({plan_.schedule.add(kernel, after)});
        tag(what, what.tag);
    }
    return after;
}

Ends StepBuilder::call(const GroupCall& call, const Groups& groups, const StepOp& what, std::uint32_t lane,
                       Ends after) {
    std::vector<DeviceId> devices;
    for (std::uint32_t l = 0; l < lanes_; ++l) {
        if (lane == Layout::all || lane == l) { devices.push_back(device(what.stage, l)); }
    }
    return add(call, groups, devices, what, std::move(after), GroupDirection::both);
}

Ends StepBuilder::phases(const Phases& phases, const StepOp& what, std::uint32_t lane, Ends after) {
    const Layout& layout = step_.layout;
    const std::uint32_t here = lane_of_groups(lane);
    const auto groups = [&](CommKind kind) {
        return kind == CommKind::tensor    ? layout.tensor(what.stage, here)
               : kind == CommKind::context ? layout.context(what.stage, here)
                                           : layout.expert(what.stage);
    };
    for (const Phase& phase : phases) {
        Ends ends = compute(phase.work, what, lane, after);
        std::array<Ends, comm_kinds> chains;
        for (const GroupCall& one : phase.calls) {
            Ends& chain = chains.at(static_cast<std::size_t>(one.kind));
            chain = call(one, groups(one.kind), what, lane, chain.empty() ? after : chain);
        }
        for (const Ends& chain : chains) { ends = joined(std::move(ends), chain); }
        after = std::move(ends);
    }
    return after;
}

Ends StepBuilder::send(const GroupCall& call, std::uint32_t from_stage, std::uint32_t to_stage, const StepOp& what,
                       std::uint32_t lane, const Ends& after) {
    const Layout& layout = step_.layout;
    const std::uint32_t low = std::min(from_stage, to_stage);
    const std::uint32_t here = lane_of_groups(lane);
    const std::uint32_t pairs = here == Layout::all ? layout.stage_ranks() : layout.t * layout.c;
    const std::uint32_t apart = (std::max(from_stage, to_stage) - low) * layout.stage_ranks();
    const Groups groups{2, apart, layout.device_rank(low, here == Layout::all ? 0 : lane), 2 * pairs};
    const std::array<DeviceId, 2> devices{device(from_stage, lane), device(to_stage, lane)};
    return add(call, groups, devices, what, after,
               from_stage < to_stage ? GroupDirection::onward : GroupDirection::back);
}

Ends StepBuilder::wait(Duration duration, const StepOp& what, Ends after) {
    if (duration.ps <= 0) { return after; }
    const OpId op = plan_.schedule.add(Delay{0x20000000U + hosts_++, duration}, after);
    tag(what, StepTag::fixed);
    return finishes({op});
}

}  // namespace fabricast::inline training
