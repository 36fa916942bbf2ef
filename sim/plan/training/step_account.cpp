#include "sim/plan/training/step_account.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

namespace fabricast::inline training {

namespace {

class Accountant {
public:
    Accountant(const StepFacts& step, const Schedule& schedule, const Timeline& timeline)
        : step_(step), schedule_(schedule), timeline_(timeline) {
        assert(timeline.kept.size() == schedule.size());
    }

    StepAccount stage(std::uint32_t stage) {
        account_ = {};
        account_.step = to_seconds(timeline_.makespan - Time{});
        double end = 0;
        for (std::size_t i = 0; i < step_.ops.size(); ++i) {
            if (step_.ops[i].stage != stage || schedule_.kind(id(i)) != OpKind::compute) { continue; }
            const double start = start_of(i);
            if (start > end) { blame(end, start, last_before(i)); }
            const double busy = finish_of(i) - std::max(start, end);
            (step_.ops[i].tag == StepTag::fixed ? account_.fixed : account_.compute) += busy;
            end = finish_of(i);
        }
        if (account_.step > end) { blame(end, account_.step, latest_of_all()); }
        return account_;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static OpId id(std::size_t i) { return OpId{static_cast<std::uint32_t>(i)}; }
    double start_of(std::size_t i) const { return to_seconds(timeline_.kept[i].start - Time{}); }
    double finish_of(std::size_t i) const { return to_seconds(timeline_.kept[i].finish - Time{}); }

    // The dependency that finished last.
    std::size_t last_before(std::size_t i) const {
        std::size_t last = none;
        for (std::size_t d = 0; d < schedule_.dependency_count(id(i)); ++d) {
            const auto on = static_cast<std::size_t>(schedule_.dependency(id(i), d).op);
            if (last == none || finish_of(on) > finish_of(last)) { last = on; }
        }
        return last;
    }

    std::size_t latest_of_all() const {
        std::size_t last = 0;
        for (std::size_t i = 0; i < step_.ops.size(); ++i) { last = finish_of(i) >= finish_of(last) ? i : last; }
        return last;
    }

    // Assigns the stage's wait from `from` to `to` to its causes: goes back along the dependencies that ended last, and
    // counts each operation's own time. When it comes to another stage's computation, the rest is a bubble; in it, what
    // is not computation are the other stages' own waits.
    void blame(double from, double to, std::size_t cause) {
        for (bool elsewhere = false; to > from; cause = last_before(cause)) {
            if (cause == none) {
                account_.bubble += to - from;
                return;
            }
            const double start = std::max(from, std::min(to, start_of(cause)));
            const StepTag tag = step_.ops[cause].tag;
            const bool computes = schedule_.kind(id(cause)) == OpKind::compute;
            if (computes && tag == StepTag::fixed) {
                account_.fixed += to - from;
                return;
            }
            elsewhere = elsewhere || computes;
            if (elsewhere) {
                account_.bubble += to - start;
                account_.waits += computes ? 0 : to - start;
            } else {
                (tag == StepTag::fixed ? account_.fixed : account_.exposed.at(static_cast<std::size_t>(tag))) +=
                    to - start;
            }
            to = start;
        }
    }

    const StepFacts& step_;
    const Schedule& schedule_;
    const Timeline& timeline_;
    StepAccount account_;
};

}  // namespace

StepAccount account(const StepFacts& step, const Schedule& schedule, const Timeline& timeline) {
    Accountant accountant(step, schedule, timeline);
    std::vector<StepAccount> stages;
    double longest = 0;
    for (std::uint32_t stage = 0; stage < step.layout.p; ++stage) {
        stages.push_back(accountant.stage(stage));
        longest = std::max(longest, stages.back().compute);
    }
    StepAccount mean;
    const double weight = 1.0 / step.layout.p;
    for (const StepAccount& one : stages) {
        mean.step = one.step;
        mean.compute += weight * one.compute;
        mean.bubble += weight * one.bubble;
        mean.imbalance += weight * std::min(one.bubble - one.waits, longest - one.compute);
        mean.waits += weight * one.waits;
        mean.fixed += weight * one.fixed;
        for (std::size_t k = 0; k < comm_kinds; ++k) { mean.exposed[k] += weight * one.exposed[k]; }
    }
    return mean;
}

}  // namespace fabricast::inline training
