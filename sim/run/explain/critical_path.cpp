#include "sim/run/explain/critical_path.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <vector>

#include "sim/run/explain/operation_blame.hpp"

namespace fabricast::inline explain {

namespace {

constexpr std::uint32_t none = 0xffffffffU;

// A point on the backward walk: which end of which operation it reaches, and when.
struct Stop {
    std::uint32_t op = none;
    Until until = Until::finish;
    Time at;
};

class Walk {
public:
    Walk(const Fabric& fabric, const Schedule& schedule, const Timeline& timeline, const PartOf& part_of)
        : schedule_(schedule), part_of_(part_of), operations_(fabric, schedule), times_(schedule.size()) {
        for (const OpTimes& times : timeline.kept) { times_[static_cast<std::uint32_t>(times.op)] = times; }
        find_predecessors();
        for (const Connection& connection : schedule.connections) {
            latency_.push_back(fabric.path(connection.path).latency);
        }
    }

    BlameSheet back(OpId last, Time from) {
        BlameSheet sheet;
        Stop stop{static_cast<std::uint32_t>(last), Until::finish, times_[static_cast<std::uint32_t>(last)].finish};
        while (stop.op != none && stop.at > from) { stop = step(stop, from, sheet); }
        if (stop.at > from) { sheet.add(BlameKind::wait, "nothing to do", "", to_seconds(stop.at - from)); }
        return sheet;
    }

private:
    // Finds for each operation the one before it on the same stream, host or connection.
    void find_predecessors() {
        before_.assign(schedule_.size(), none);
        std::map<std::pair<int, std::uint64_t>, std::uint32_t> last;
        for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
            const OpKind kind = schedule_.kind(OpId{op});
            const std::uint32_t detail = schedule_.detail(OpId{op});
            std::uint64_t chain = 0;
            if (kind == OpKind::pipeline) { continue; }
            if (kind == OpKind::transfer) {
                chain = schedule_.transfers[detail].connection;
            } else if (kind == OpKind::compute) {
                const Compute& compute = schedule_.computes[detail];
                chain = (static_cast<std::uint64_t>(compute.device) << 16U) | compute.stream;
            } else {
                chain = schedule_.delays[detail].host;
            }
            const auto [place, is_new] = last.try_emplace({static_cast<int>(kind), chain}, op);
            if (!is_new) {
                before_[op] = place->second;
                place->second = op;
            }
        }
    }

    // When the operation could have proceeded if no other had been before it.
    Time entered(std::uint32_t op) const {
        if (schedule_.kind(OpId{op}) != OpKind::transfer) { return times_[op].start; }
        const Transfer& transfer = schedule_.transfers[schedule_.detail(OpId{op})];
        return times_[op].start + transfer.start + latency_[transfer.connection];
    }

    // The dependency of the operation that was met last.
    Stop last_dependency(std::uint32_t op) const {
        Stop last;
        for (std::size_t i = 0; i < schedule_.dependency_count(OpId{op}); ++i) {
            const Schedule::Dependency d = schedule_.dependency(OpId{op}, i);
            const auto on = static_cast<std::uint32_t>(d.op);
            const bool released = d.when == DependsOn::release;
            const Time at = released ? times_[on].release : times_[on].finish;
            if (last.op == none || at > last.at) { last = {on, released ? Until::release : Until::finish, at}; }
        }
        return last;
    }

    // Blames the part of one operation's time that is after `from`; returns what the operation waited for.
    Stop step(const Stop& stop, Time from, BlameSheet& sheet) {
        const std::uint32_t op = stop.op;
        const std::uint32_t front = before_[op];
        const bool queued = front != none && times_[front].finish > entered(op);
        const Time began = queued ? times_[front].finish : times_[op].start;
        const double seconds = to_seconds(stop.at - began);
        const BlameSheet whole = operations_.blame(OpId{op}, stop.until, queued, seconds);
        const double inside = to_seconds(stop.at - std::max(began, from));
        sheet.add(whole, part_of_ ? part_of_(OpId{op}) : "", seconds > 0 ? inside / seconds : 0);
        if (queued) { return {front, Until::finish, began}; }
        const Stop next = last_dependency(op);
        if (next.op != none && next.at < began && began > from) {
            // No dependency explains the gap: for instance, a link that was down came up again.
            sheet.add(BlameKind::wait, "others' turn", "", to_seconds(began - std::max(next.at, from)));
        }
        return next.op == none ? Stop{none, Until::finish, began} : next;
    }

    const Schedule& schedule_;
    const PartOf& part_of_;
    OperationBlame operations_;
    std::vector<OpTimes> times_;
    std::vector<std::uint32_t> before_;
    std::vector<Duration> latency_;
};

}  // namespace

BlameSheet critical_path(const Fabric& fabric, const Schedule& schedule, const Timeline& timeline, OpId last, Time from,
                         const PartOf& part_of) {
    assert(timeline.kept.size() >= schedule.size());
    return Walk(fabric, schedule, timeline, part_of).back(last, from);
}

}  // namespace fabricast::inline explain
