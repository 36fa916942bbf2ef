#pragma once
// Times of the operations that the Timeline keeps; nothing is stored for the others.

#include <algorithm>
#include <vector>

#include "sim/engines/common/timeline.hpp"

namespace fabricast::inline engine_common {

// Schedule::kept, or the last operation if it names none.
inline std::vector<OpId> kept_of(const Schedule& schedule) {
    if (!schedule.kept.empty() || schedule.size() == 0) { return schedule.kept; }
    return {OpId{static_cast<std::uint32_t>(schedule.size() - 1)}};
}

class Kept {
public:
    explicit Kept(const Schedule& schedule) : is_kept_(schedule.size(), false), order_(kept_of(schedule)) {
        for (const OpId op : order_) {
            is_kept_[index(op)] = true;
            times_.push_back({op, {}, {}, {}});
        }
        std::ranges::sort(times_, {}, &OpTimes::op);
    }

    void started(OpId op, Time at) { keep(op, &OpTimes::start, at); }
    void released(OpId op, Time at) { keep(op, &OpTimes::release, at); }
    void finished(OpId op, Time at) {
        last_ = std::max(last_, at);
        keep(op, &OpTimes::finish, at);
    }

    // In the order of Schedule::kept.
    std::vector<OpTimes> times() {
        std::vector<OpTimes> result;
        for (const OpId op : order_) { result.push_back(find(op)); }
        return result;
    }
    Time last_finish() const { return last_; }

private:
    OpTimes& find(OpId op) { return *std::ranges::lower_bound(times_, op, {}, &OpTimes::op); }
    void keep(OpId op, Time OpTimes::*event, Time at) {
        if (is_kept_[index(op)]) { find(op).*event = at; }
    }

    std::vector<bool> is_kept_;
    std::vector<OpId> order_;
    std::vector<OpTimes> times_;
    Time last_;
};

}  // namespace fabricast::inline engine_common
