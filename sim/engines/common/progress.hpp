#pragma once
// How far a replay has come: which operations wait for others, whose turn it is in each FIFO, what has ended, and the
// times of the operations that the Timeline keeps. What running an operation means, and when it ends, is the engine's.

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/engines/common/timeline.hpp"

namespace fabricast::inline engine_common {

// The schedule's dependencies inverted: which operations wait for one, and for how many others each still waits.
class Dependents {
public:
    explicit Dependents(const Schedule& schedule) : begin_(schedule.size() + 1, 0), waiting_(schedule.size(), 0) {
        const auto operations = static_cast<std::uint32_t>(schedule.size());
        for (std::uint32_t op = 0; op < operations; ++op) {
            const std::size_t count = schedule.dependency_count(OpId{op});
            waiting_[op] = static_cast<std::uint32_t>(count);
            for (std::size_t i = 0; i < count; ++i) { ++begin_[index(schedule.dependency(OpId{op}, i).op)]; }
        }
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        dependent_.resize(begin_.back());
        // Here begin_ is the end of each list; filling from the back makes it the begin and keeps the order of ids.
        for (std::uint32_t op = operations; op-- > 0;) {
            for (std::size_t i = schedule.dependency_count(OpId{op}); i-- > 0;) {
                const Schedule::Dependency d = schedule.dependency(OpId{op}, i);
                dependent_[--begin_[index(d.op)]] = op | (d.when == DependsOn::release ? release_bit : 0U);
            }
        }
    }

    // Operation `op` reached `event`, or `both` at once, as those do that are released when they finish. Calls
    // ready(op) for each operation that now waits for nothing.
    template <bool both = false, class Ready> void reached(OpId op, DependsOn event, Ready&& ready) {
        for (std::uint32_t d = begin_[index(op)]; d < begin_[index(op) + 1]; ++d) {
            const DependsOn awaited = (dependent_[d] & release_bit) != 0 ? DependsOn::release : DependsOn::finish;
            const OpId next{dependent_[d] & ~release_bit};
            if ((both || awaited == event) && --waiting_[index(next)] == 0) { ready(next); }
        }
    }

    std::uint32_t waiting(OpId op) const { return waiting_[index(op)]; }

private:
    static constexpr std::uint32_t release_bit = 0x80000000U;

    std::vector<std::uint32_t> begin_, dependent_, waiting_;
};

enum class FifoId : std::uint32_t {};
inline constexpr FifoId no_fifo{0xffffffff};

// Which operations run one after the other: messages of a connection, kernels of a device's stream, delays of a host.
class Fifos {
public:
    explicit Fifos(const Schedule& schedule) : schedule_(schedule), count_(schedule.connections.size()) {
        const auto number = [this](auto& known, const auto& key) {
            const auto [place, is_new] = known.try_emplace(key, FifoId{static_cast<std::uint32_t>(count_)});
            count_ += is_new ? 1 : 0;
            return place->second;
        };
        std::map<std::pair<DeviceId, std::uint16_t>, FifoId> streams;
        for (const Compute& compute : schedule.computes) {
            of_compute_.push_back(number(streams, std::pair(compute.device, compute.stream)));
        }
        std::map<std::uint32_t, FifoId> hosts;
        for (const Delay& delay : schedule.delays) { of_delay_.push_back(number(hosts, delay.host)); }
    }

    std::size_t count() const { return count_; }
    // Pipelines are in none.
    FifoId of(OpId op) const {
        const std::uint32_t detail = schedule_.detail(op);
        switch (schedule_.kind(op)) {
            case OpKind::transfer: return FifoId{schedule_.transfers[detail].connection};
            case OpKind::compute: return of_compute_[detail];
            case OpKind::delay: return of_delay_[detail];
            case OpKind::pipeline: break;
        }
        return no_fifo;
    }

private:
    const Schedule& schedule_;
    std::size_t count_;
    std::vector<FifoId> of_compute_, of_delay_;
};

enum class MessageOrder : std::uint8_t {
    fifo,      // a message may run when those before it on its connection have ended
    by_engine  // the engine itself keeps the messages of a connection in order
};

class Progress {
public:
    explicit Progress(const Schedule& schedule, MessageOrder messages = MessageOrder::fifo)
        : schedule_(schedule),
          messages_(messages),
          next_(schedule.size(), none),
          first_(fifos_.count(), none),
          queued_(schedule.size(), false),
          ended_(schedule.size(), false),
          is_kept_(schedule.size(), false) {
        std::vector<OpId> last(fifos_.count(), none);
        for (OpId op{}; index(op) < schedule.size(); op = OpId{index(op) + 1}) {
            if (const FifoId fifo = fifo_of(op); fifo != no_fifo) {
                OpId& before = last[static_cast<std::uint32_t>(fifo)];
                (before == none ? turn(fifo) : next_[index(before)]) = op;
                before = op;
            }
        }
        for (const OpId op : kept_of(schedule)) {
            is_kept_[index(op)] = true;
            times_.push_back({op, {}, {}, {}});
        }
        std::ranges::sort(times_, {}, &OpTimes::op);
    }

    // Calls ready(op) for each operation that waits for nothing.
    template <class Ready> void begin(Ready&& ready) const {
        for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
            if (dependents_.waiting(OpId{op}) == 0) { ready(OpId{op}); }
        }
    }

    // The operation's dependencies are met.
    void started(OpId op, Time now) { keep(op, &OpTimes::start, now); }

    // The operation joins its FIFO; returns whether it is its turn already. Otherwise ended() runs it later.
    bool queue_up(OpId op) {
        queued_[index(op)] = true;
        return turn(fifos_.of(op)) == op;
    }

    // Whether all operations before it in its FIFO have ended.
    bool is_turn_of(OpId op) { return turn(fifos_.of(op)) == op; }

    // A pipeline has released its stream; calls ready(op) for each operation that waited for just this.
    template <class Ready> void released(OpId op, Time now, Ready&& ready) {
        keep(op, &OpTimes::release, now);
        dependents_.reached(op, DependsOn::release, ready);
    }

    // The operation has ended, and unless it is a pipeline it is released now, too. Calls run(op) for the operation
    // whose turn it is next, and ready(op) for each that now waits for nothing.
    template <class Run, class Ready> void ended(OpId op, Time now, Run&& run, Ready&& ready) {
        ended_[index(op)] = true;
        ++count_;
        if (const FifoId fifo = fifo_of(op); fifo != no_fifo) {
            const OpId next = turn(fifo) = next_[index(op)];
            if (next != none && queued_[index(next)]) { run(next); }
        }
        if (schedule_.kind(op) == OpKind::pipeline) {
            dependents_.reached(op, DependsOn::finish, ready);
        } else {
            keep(op, &OpTimes::release, now);
            dependents_.reached<true>(op, DependsOn::finish, ready);
        }
        keep(op, &OpTimes::finish, now);
        last_ = std::max(last_, now);
    }

    std::size_t count() const { return count_; }  // operations that have ended
    bool finished() const { return count_ == schedule_.size(); }
    // Precondition: not finished.
    OpId first_unfinished() const {
        return OpId{static_cast<std::uint32_t>(std::ranges::find(ended_, false) - ended_.begin())};
    }

    // With the makespan and the times that are kept.
    Timeline timeline() {
        Timeline timeline;
        timeline.makespan = last_;
        for (const OpId op : kept_of(schedule_)) { timeline.kept.push_back(times_of(op)); }
        return timeline;
    }

private:
    static constexpr OpId none{0xffffffff};

    OpTimes& times_of(OpId op) { return *std::ranges::lower_bound(times_, op, {}, &OpTimes::op); }
    void keep(OpId op, Time OpTimes::*event, Time now) {
        if (is_kept_[index(op)]) { times_of(op).*event = now; }
    }
    OpId& turn(FifoId fifo) { return first_[static_cast<std::uint32_t>(fifo)]; }
    FifoId fifo_of(OpId op) const {
        const bool by_engine = messages_ == MessageOrder::by_engine && schedule_.kind(op) == OpKind::transfer;
        return by_engine ? no_fifo : fifos_.of(op);
    }

    const Schedule& schedule_;
    MessageOrder messages_;
    Dependents dependents_{schedule_};
    Fifos fifos_{schedule_};
    std::vector<OpId> next_, first_;  // per operation, per FIFO: linked lists of what has not ended
    std::vector<bool> queued_, ended_;
    std::size_t count_ = 0;
    std::vector<bool> is_kept_;  // no times are stored for other operations
    std::vector<OpTimes> times_;
    Time last_;
};

}  // namespace fabricast::inline engine_common
