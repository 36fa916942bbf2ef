#pragma once
// How far a replay has come: which operations wait for others, whose turn it is in each FIFO, what has ended, and the
// times of the operations that the Timeline keeps. What running an operation means, and when it ends, is the engine's.

#include <algorithm>
#include <vector>

#include "sim/engines/common/dependents.hpp"
#include "sim/engines/common/fifos.hpp"
#include "sim/engines/common/kept.hpp"

namespace fabricast::inline engine_common {

enum class MessageOrder : std::uint8_t {
    fifo,      // a message may run when those before it on its connection have ended
    by_engine  // the engine itself keeps the messages of a connection in order
};

class Progress {
public:
    explicit Progress(const Schedule& schedule, MessageOrder messages = MessageOrder::fifo)
        : schedule_(schedule),
          messages_(messages),
          dependents_(schedule),
          fifos_(schedule),
          next_(schedule.size(), none),
          first_(fifos_.count(), none),
          queued_(schedule.size(), false),
          ended_(schedule.size(), false),
          kept_(schedule) {
        std::vector<OpId> last(fifos_.count(), none);
        for (OpId op{}; index(op) < schedule.size(); op = OpId{index(op) + 1}) {
            if (const FifoId fifo = fifo_of(op); fifo != no_fifo) {
                OpId& before = last[static_cast<std::uint32_t>(fifo)];
                (before == none ? turn(fifo) : next_[index(before)]) = op;
                before = op;
            }
        }
    }

    // Calls ready(op) for each operation that waits for nothing.
    template <class Ready> void begin(Ready&& ready) const {
        for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
            if (dependents_.waiting(OpId{op}) == 0) { ready(OpId{op}); }
        }
    }

    // The operation's dependencies are met.
    void started(OpId op, Time now) { kept_.started(op, now); }

    // The operation joins its FIFO; returns whether it is its turn already. Otherwise ended() runs it later.
    bool queue_up(OpId op) {
        queued_[index(op)] = true;
        return turn(fifos_.of(op)) == op;
    }

    // A pipeline has released its stream; calls ready(op) for each operation that waited for just this.
    template <class Ready> void released(OpId op, Time now, Ready&& ready) {
        kept_.released(op, now);
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
            kept_.released(op, now);
            dependents_.finished(op, ready);
        }
        kept_.finished(op, now);
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
        timeline.makespan = kept_.last_finish();
        timeline.kept = kept_.times();
        return timeline;
    }

private:
    static constexpr OpId none{0xffffffff};

    OpId& turn(FifoId fifo) { return first_[static_cast<std::uint32_t>(fifo)]; }
    FifoId fifo_of(OpId op) const {
        const bool by_engine = messages_ == MessageOrder::by_engine && schedule_.kind(op) == OpKind::transfer;
        return by_engine ? no_fifo : fifos_.of(op);
    }

    const Schedule& schedule_;
    MessageOrder messages_;
    Dependents dependents_;
    Fifos fifos_;
    std::vector<OpId> next_, first_;  // per operation, per FIFO: linked lists of what has not ended
    std::vector<bool> queued_, ended_;
    std::size_t count_ = 0;
    Kept kept_;
};

}  // namespace fabricast::inline engine_common
