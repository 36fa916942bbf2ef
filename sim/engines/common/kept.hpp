#pragma once
// Times of the operations that the Timeline keeps; nothing is stored for the others.

#include <algorithm>
#include <vector>

#include "sim/engines/common/timeline.hpp"

namespace fabricast {

// Schedule::kept, or the last operation if it names none.
inline std::vector<OpId> kept_of(const Schedule& schedule) {
    if (!schedule.kept.empty() || schedule.size() == 0) {
        return schedule.kept;
    }
    return {OpId{static_cast<std::uint32_t>(schedule.size() - 1)}};
}

class Kept {
public:
    explicit Kept(const Schedule& schedule) : is_kept_(schedule.size(), false), order_(kept_of(schedule)) {
        for (const OpId op : order_) {
            is_kept_[static_cast<std::uint32_t>(op)] = true;
            times_.push_back({op, {}, {}, {}});
        }
        std::sort(times_.begin(), times_.end(), [](const OpTimes& a, const OpTimes& b) { return a.op < b.op; });
    }

    void started(OpId op, Time at) {
        if (is_kept_[static_cast<std::uint32_t>(op)]) {
            find(op).start = at;
        }
    }
    void released(OpId op, Time at) {
        if (is_kept_[static_cast<std::uint32_t>(op)]) {
            find(op).release = at;
        }
    }
    void finished(OpId op, Time at) {
        last_ = std::max(last_, at);
        if (is_kept_[static_cast<std::uint32_t>(op)]) {
            find(op).finish = at;
        }
    }

    // In the order of Schedule::kept.
    std::vector<OpTimes> times() {
        std::vector<OpTimes> result;
        for (const OpId op : order_) {
            result.push_back(find(op));
        }
        return result;
    }
    Time last_finish() const { return last_; }

private:
    OpTimes& find(OpId op) {
        return *std::lower_bound(times_.begin(), times_.end(), op,
                                 [](const OpTimes& times, OpId wanted) { return times.op < wanted; });
    }

    std::vector<bool> is_kept_;
    std::vector<OpId> order_;
    std::vector<OpTimes> times_;
    Time last_;
};

}  // namespace fabricast
