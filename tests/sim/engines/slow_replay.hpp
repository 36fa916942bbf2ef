#pragma once
// The flow engine by its definition, for messages only: at each instant all rates from zero by progressive filling, the
// next instant by looking at every flow. No ticks, no classes, no queue. The oracle of the fast engine.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "tests/sim/engines/max_min_slow.hpp"

namespace fabricast::testing {

class SlowReplay {
public:
    SlowReplay(const Fabric& fabric, const Schedule& schedule) : schedule_(schedule) {
        for (const Connection& connection : schedule.connections) {
            paths_.push_back(fabric.path(connection.path));
            for (const LinkId link : paths_.back().span()) {
                if (number_.try_emplace(link, static_cast<std::uint32_t>(capacity_.size())).second) {
                    capacity_.push_back(fabric.link(link).capacity);
                }
            }
        }
        waiting_.resize(schedule.size());
        dependents_.resize(schedule.size());
        previous_.assign(schedule.size(), none);
        std::vector<std::uint32_t> last(schedule.connections.size(), none);
        for (std::uint32_t op = 0; op < schedule.size(); ++op) {
            waiting_[op] = schedule.dependency_count(OpId{op});
            for (std::size_t i = 0; i < waiting_[op]; ++i) {
                dependents_[static_cast<std::uint32_t>(schedule.dependency(OpId{op}, i).op)].push_back(op);
            }
            std::uint32_t& before = last[schedule.transfers[op].connection];
            previous_[op] = before;
            before = op;
        }
        finish_.assign(schedule.size(), -1);
        left_.assign(schedule.size(), 0);
    }

    // Seconds at which each operation ends.
    std::vector<double> run() {
        for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
            if (waiting_[op] == 0) { start(op); }
        }
        while (true) {
            admit();
            const std::vector<double> rate = rates();
            double step = std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < flowing_.size(); ++i) { step = std::min(step, left_[flowing_[i]] / rate[i]); }
            for (const auto& [op, at] : entering_) {
                if (at > now_) { step = std::min(step, at - now_); }
            }
            if (step == std::numeric_limits<double>::infinity()) { return finish_; }
            now_ += step;
            std::vector<std::uint32_t> still;
            std::vector<std::uint32_t> done;
            for (std::size_t i = 0; i < flowing_.size(); ++i) {
                const std::uint32_t op = flowing_[i];
                left_[op] -= rate[i] * step;
                // A millionth of a picosecond's worth is rounding.
                (left_[op] <= rate[i] * 1e-18 + 1e-12 * bytes(op) ? done : still).push_back(op);
            }
            flowing_ = still;
            for (const std::uint32_t op : done) {
                finish_[op] = now_;
                for (const std::uint32_t next : dependents_[op]) {
                    if (--waiting_[next] == 0) { start(next); }
                }
            }
        }
    }

private:
    static constexpr std::uint32_t none = 0xffffffffU;
    struct Entering {
        std::uint32_t op;
        double at;
    };

    double bytes(std::uint32_t op) const {
        const Transfer& t = schedule_.transfers[op];
        return static_cast<double>(t.bytes.count) * schedule_.connections[t.connection].wire_ratio;
    }
    void start(std::uint32_t op) {
        const Transfer& t = schedule_.transfers[op];
        entering_.push_back({op, now_ + to_seconds(t.start + paths_[t.connection].latency)});
    }

    // Lets in what has arrived and whose predecessor on the connection is through.
    void admit() {
        std::vector<Entering> later;
        std::sort(entering_.begin(), entering_.end(), [](const Entering& a, const Entering& b) { return a.op < b.op; });
        for (const Entering& entering : entering_) {
            const std::uint32_t before = previous_[entering.op];
            if (entering.at <= now_ + 1e-18 && (before == none || finish_[before] >= 0)) {
                left_[entering.op] = bytes(entering.op);
                flowing_.push_back(entering.op);
            } else {
                later.push_back(entering);
            }
        }
        entering_ = later;
    }

    std::vector<double> rates() const {
        std::vector<std::uint32_t> end;
        std::vector<std::uint32_t> link;
        std::vector<double> cap;
        for (const std::uint32_t op : flowing_) {
            const Connection& connection = schedule_.connections[schedule_.transfers[op].connection];
            for (const LinkId l : paths_[schedule_.transfers[op].connection].span()) { link.push_back(number_.at(l)); }
            end.push_back(static_cast<std::uint32_t>(link.size()));
            cap.push_back(connection.rate_cap * connection.wire_ratio);
        }
        const std::vector<double> members(flowing_.size(), 1);
        return max_min_slow({capacity_, end, link, {}, members, cap});
    }

    const Schedule& schedule_;
    std::map<LinkId, std::uint32_t> number_;  // links in use
    std::vector<double> capacity_;
    std::vector<Path> paths_;
    std::vector<std::size_t> waiting_;
    std::vector<std::vector<std::uint32_t>> dependents_;
    std::vector<std::uint32_t> previous_;
    std::vector<double> finish_, left_;
    std::vector<std::uint32_t> flowing_;
    std::vector<Entering> entering_;
    double now_ = 0;
};

}  // namespace fabricast::testing
