#include "sim/plan/training/step_builder.hpp"

#include <array>

namespace fabricast {

namespace {

Ends finishes(const std::vector<OpId>& ops) {
    Ends ends;
    for (const OpId op : ops) {
        ends.push_back({op, DependsOn::finish});
    }
    return ends;
}

StepTag tag_of(CommKind kind) {
    switch (kind) {
        case CommKind::tensor:
            return StepTag::tensor;
        case CommKind::context:
            return StepTag::context;
        case CommKind::expert:
            return StepTag::expert;
        case CommKind::pipeline:
            return StepTag::pipeline;
        case CommKind::data:
            return StepTag::data;
    }
    return StepTag::data;
}

}  // namespace

Ends joined(Ends a, const Ends& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

DeviceId StepBuilder::device(std::uint32_t stage, std::uint32_t lane) const {
    return fabric_.gpu(plan_.layout.device_rank(stage, lane == Layout::all ? 0 : lane));
}

// Records that all operations from `from` on are for `what`.
void StepBuilder::tag(std::size_t from, const StepOp& what) {
    for (std::size_t op = from; op < plan_.schedule.size(); ++op) {
        plan_.ops.push_back(what);
        plan_.schedule.kept.push_back(OpId{static_cast<std::uint32_t>(op)});
    }
}

Ends StepBuilder::compute(const Work& work, const StepOp& what, std::uint32_t lane, Ends after) {
    for (const Compute& kernel : costs_.computes(work, device(what.stage, lane))) {
        const std::size_t from = plan_.schedule.size();
        after = finishes({plan_.schedule.add(kernel, after)});
        tag(from, what);
    }
    return after;
}

Ends StepBuilder::call(const GroupCall& call, const Groups& groups, const StepOp& what, std::uint32_t lane,
                       Ends after) {
    std::vector<DeviceId> devices;
    for (std::uint32_t l = 0; l < lanes_; ++l) {
        if (lane == Layout::all || lane == l) {
            devices.push_back(device(what.stage, l));
        }
    }
    const std::size_t from = plan_.schedule.size();
    const std::vector<OpId> ends = calls_.add(plan_.schedule, call, groups, devices, after);
    StepOp tagged = what;
    tagged.tag = tag_of(call.kind);
    tag(from, tagged);
    return ends.empty() ? after : finishes(ends);
}

Ends StepBuilder::phases(const Phases& phases, const StepOp& what, std::uint32_t lane, Ends after) {
    const Layout& layout = plan_.layout;
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
        for (const Ends& chain : chains) {
            ends = joined(std::move(ends), chain);
        }
        after = std::move(ends);
    }
    return after;
}

Ends StepBuilder::send(const GroupCall& call, std::uint32_t from_stage, std::uint32_t to_stage, const StepOp& what,
                       std::uint32_t lane, const Ends& after) {
    const Layout& layout = plan_.layout;
    const std::uint32_t low = std::min(from_stage, to_stage);
    const std::uint32_t here = lane_of_groups(lane);
    const std::uint32_t pairs = here == Layout::all ? layout.stage_ranks() : layout.t * layout.c;
    const std::uint32_t apart = (std::max(from_stage, to_stage) - low) * layout.stage_ranks();
    const Groups groups{2, apart, layout.device_rank(low, here == Layout::all ? 0 : lane), 2 * pairs};
    const std::array<DeviceId, 2> devices{device(from_stage, lane), device(to_stage, lane)};
    const std::size_t from = plan_.schedule.size();
    const std::vector<OpId> ends = calls_.add(plan_.schedule, call, groups, devices, after,
                                              from_stage < to_stage ? GroupDirection::onward : GroupDirection::back);
    StepOp tagged = what;
    tagged.tag = StepTag::pipeline;
    tag(from, tagged);
    return ends.empty() ? after : finishes(ends);
}

Ends StepBuilder::wait(Duration duration, const StepOp& what, Ends after) {
    if (duration.ps <= 0) {
        return after;
    }
    const std::size_t from = plan_.schedule.size();
    const OpId op = plan_.schedule.add(Delay{0x20000000U + hosts_++, duration}, after);
    StepOp tagged = what;
    tagged.tag = StepTag::fixed;
    tag(from, tagged);
    return finishes({op});
}

}  // namespace fabricast
