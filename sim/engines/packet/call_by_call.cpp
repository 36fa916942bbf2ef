#include "sim/engines/packet/call_by_call.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace fabricast::inline packet {

namespace {

// Of the calls' number a fraction is left over where a part of the calls runs elsewhere: the whole ones share it out.
double calls_of(const Pipeline& pipeline) { return std::max(1.0, std::round(pipeline.calls)); }

class CallSeparator {
public:
    explicit CallSeparator(const Schedule& plan) : plan_(plan) {
        Schedule& out = calls_.schedule;
        out.connections = plan.connections;
        out.edge_sets = plan.edge_sets;
        out.stages = plan.stages;
        out.occupancies = plan.occupancies;
    }

    CallByCall separate() {
        for (std::uint32_t op = 0; op < plan_.size(); ++op) { add(OpId{op}); }
        std::vector<OpId>& kept = calls_.schedule.kept;
        for (const OpId op : kept_of(plan_)) {
            const auto [first, last] = ends_[index(op)];
            calls_.kept.push_back({op, first, last});
            kept.push_back(first);
            if (last != first) { kept.push_back(last); }
        }
        return std::move(calls_);
    }

private:
    void add(OpId op) {
        Schedule& out = calls_.schedule;
        std::vector<Schedule::Dependency> after;
        for (std::size_t i = 0; i < plan_.dependency_count(op); ++i) {
            const Schedule::Dependency d = plan_.dependency(op, i);
            after.push_back({ends_[index(d.op)].second, d.when});
        }
        const std::uint32_t detail = plan_.detail(op);
        OpId first{};
        switch (plan_.kind(op)) {
            case OpKind::transfer: first = out.add(plan_.transfers[detail], after); break;
            case OpKind::compute: first = out.add(plan_.computes[detail], after); break;
            case OpKind::delay: first = out.add(plan_.delays[detail], after); break;
            case OpKind::pipeline: {
                const double calls = calls_of(plan_.pipelines[detail]);
                const Pipeline one = one_call(plan_.pipelines[detail], calls);
                first = out.add(one, after);
                OpId last = first;
                for (double call = 1; call < calls; ++call) {
                    last = out.add(one, std::vector<Schedule::Dependency>{{last}});
                }
                ends_.emplace_back(first, last);
                return;
            }
        }
        ends_.emplace_back(first, first);
    }

    Pipeline one_call(Pipeline p, double calls) {
        if (!(calls > 1)) { return p; }
        p.calls = 1;
        p.bytes_per_edge /= calls;
        p.start = from_seconds(to_seconds(p.start) / calls);
        p.fill /= calls;
        p.chunk = std::min(p.chunk, p.bytes_per_edge);
        p.first_stage = a_part(calls_.schedule.stages, stages_, p.first_stage, p.stage_count, calls, &Stage::count);
        p.first_occupancy = a_part(calls_.schedule.occupancies, occupancies_, p.first_occupancy, p.occupancy_count,
                                   calls, &Occupancy::memory_bytes);
        return p;
    }

    // Where the range's elements stand with one call's part of their `amount`; pipelines of one range share them.
    using Ranges = std::map<std::tuple<std::uint32_t, std::uint32_t, double>, std::uint32_t>;
    template <class Element>
    static std::uint32_t a_part(std::vector<Element>& all, Ranges& known, std::uint32_t first, std::uint32_t count,
                                double calls, double Element::*amount) {
        const auto [place, fresh] = known.try_emplace({first, count, calls}, static_cast<std::uint32_t>(all.size()));
        for (std::uint32_t i = 0; fresh && i < count; ++i) {
            Element part = all[first + i];
            part.*amount /= calls;
            all.push_back(part);
        }
        return place->second;
    }

    const Schedule& plan_;
    CallByCall calls_;
    std::vector<std::pair<OpId, OpId>> ends_;  // per operation of the plan: its first and last call
    Ranges stages_, occupancies_;
};

}  // namespace

std::optional<CallByCall> call_by_call(const Schedule& plan) {
    if (std::ranges::none_of(plan.pipelines, [](const Pipeline& p) { return calls_of(p) > 1; })) { return {}; }
    return CallSeparator(plan).separate();
}

void CallByCall::restore(Timeline& timeline) const {
    std::vector<OpTimes> times;
    std::size_t next = 0;
    for (const Kept& operation : kept) {
        const OpTimes& begun = timeline.kept[next++];
        const OpTimes& ended = operation.last != operation.first ? timeline.kept[next++] : begun;
        times.push_back({operation.planned, begun.start, ended.release, ended.finish});
    }
    timeline.kept = std::move(times);
}

}  // namespace fabricast::inline packet
