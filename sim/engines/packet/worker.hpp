#pragma once
// Runs the nodes that one thread owns, window by window. Nothing that one island sends to another in a window arrives
// in the same window, so each island is run alone, and inside it each node for one step: what came over its links is
// merged by time and queued or sent on, and its ports are drained up to the end of the step. A port's departures are
// computed when the port is next looked at, without an event for each: there is about one event per packet and hop.

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <vector>

#include "sim/engines/packet/domain.hpp"
#include "sim/engines/packet/threads.hpp"

namespace fabricast::inline packet {

struct Due {
    Frame frame;
    std::uint32_t port = none;  // that it comes by; none: a control message
    std::uint32_t next = 0;     // the message's number, or, if it takes arrive_fast_path(), the port that it leaves by

    bool is_mail() const { return port == none; }
};

// What a node has to do in a step, in order: the packets that have arrived and the control messages that are due.
class DueList {
public:
    void clear() { count_ = 0; }
    void add(const Due& due) {
        if (count_ == room_) {
            room_ = std::max<std::size_t>(64, 2 * count_);
            due_.resize(room_);
        }
        due_[count_++] = due;
    }

    // Sorts by time; what comes at once, notices first, then packets by their sequence number, so that flows that began
    // together take turns, and by port; mail comes last and keeps its own order. If there are many, they are first
    // distributed into bins of equal spans of [start, end).
    [[gnu::always_inline]] std::span<const Due> sort(Ps start, Ps end) {
        if (count_ > 1) { sort_several(start, end); }
        return {due_.data(), count_};
    }

private:
    void sort_several(Ps start, Ps end) {
        if (count_ > 24) { distribute(start, end); }
        Due *const first = due_.data(), *const last = first + count_ - 1;
        for (Due* due = first; due != last; ++due) {  // nearly in order by now
            if (before(due[1], due[0])) {
                const Due moved = due[1];
                Due* to = due + 1;
                for (; to != first && before(moved, to[-1]); --to) { *to = to[-1]; }
                *to = moved;
            }
        }
    }

    static bool before(const Due& a, const Due& b) {
        return (a.frame.key ^ b.frame.key) >> 16U != 0 ? a.frame.key < b.frame.key : before_at_once(a, b);
    }
    // Of numbers, which begin again from zero, only how far they are apart matters.
    static bool before_at_once(const Due& a, const Due& b) {
        if (a.is_mail() || b.is_mail()) { return !a.is_mail() || (b.is_mail() && a.next < b.next); }
        const bool tells = a.frame.is(Frame::notice);
        if (tells != b.frame.is(Frame::notice)) { return tells; }
        const auto apart = static_cast<std::int16_t>(a.frame.psn() - b.frame.psn());
        return apart != 0 ? apart < 0 : a.port < b.port;
    }

    void distribute(Ps start, Ps end) {
        const std::size_t bins = std::bit_ceil(count_);
        const std::uint64_t first = static_cast<std::uint64_t>(start) << 16U;
        const int span = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(end - start) << 16U));
        const int shift = std::max(0, span - std::countr_zero(bins));
        const auto bin_of = [&](const Due& due) {
            return static_cast<std::size_t>((std::max(due.frame.key, first) - first) >> shift);
        };
        bucket_.assign(bins + 1, 0);
        for (std::size_t i = 0; i < count_; ++i) { ++bucket_[bin_of(due_[i]) + 1]; }
        std::uint32_t sum = 0;
        for (std::uint32_t& bucket : bucket_) { bucket = sum += bucket; }
        sorted_.resize(room_);
        for (std::size_t i = 0; i < count_; ++i) { sorted_[bucket_[bin_of(due_[i])]++] = due_[i]; }
        due_.swap(sorted_);
    }

    std::size_t count_ = 0, room_ = 0;
    std::vector<Due> due_, sorted_;  // the first `count_` are valid
    std::vector<std::uint32_t> bucket_;
};

class Worker {
public:
    Worker(Shared& shared, std::uint32_t id, std::uint32_t domains);

    // Runs this domain's nodes with something to do in [start, end), while others run theirs. Windows have numbers.
    void run(Ps start, Ps end, std::int64_t window, const std::vector<std::unique_ptr<Worker>>& all);
    // Runs every node of all domains; no other thread may run.
    void run_alone(Ps start, Ps end, std::int64_t window, const std::vector<std::unique_ptr<Worker>>& all);

    // Runs this domain's nodes, the only ones of this process.
    void run_share(Ps start, Ps end, std::int64_t window);

    // When there is next something to do, here or for those that this worker has sent to. Valid after run().
    Ps next() const { return domain_.next; }
    std::vector<Done>& done() { return domain_.done; }
    const DomainCounts& counts() const { return domain_.counts; }
    // Of a worker in another process.
    void add_counts(const DomainCounts& other) { domain_.counts += other; }
    std::vector<ControlMessage>& mail_for(std::uint32_t domain, unsigned parity) {
        return domain_.outbox[parity][domain];
    }
    // Called from outside, between windows.
    void post(const ControlMessage& mail) { domain_.deliver(mail); }
    // The same for what was sent in the last window, which is then where it will be found.
    void deliver_sent(unsigned parity) {
        for (std::vector<ControlMessage>& box : domain_.outbox[parity]) { take_box(box); }
    }
    // What another process sent to a node in the last window arrives there then.
    void arrives(std::uint32_t node, Ps at) { domain_.wake(node, at); }

private:
    void begin_window(Ps start, Ps end, std::int64_t window);
    unsigned before() const { return domain_.parity ^ 1U; }  // where what the last window sent is kept
    void take_box(std::vector<ControlMessage>& box) {
        for (const ControlMessage& mail : box) { domain_.deliver(mail); }
        box.clear();
    }
    // Runs the islands of this worker or another one that can still be taken.
    void run_open(Worker& of, Claim (StealableRange::*take)());
    Ps run_island(std::uint32_t island);
    void run_steps(std::span<const std::uint32_t> nodes);
    void run_node(std::uint32_t n);
    template <bool straight> Ps gather(const Node& node, std::uint32_t n);
    Due leaving(const Frame& frame, std::uint32_t port) const;

    Domain domain_;
    std::uint32_t id_, domains_;
    std::vector<std::uint32_t> islands_;
    StealableRange open_;  // the islands still to be run in this window
    bool straight_;        // packets take arrive_fast_path()
    DueList due_;
    std::vector<ControlMessage> mails_;  // due in the node that is running
};

}  // namespace fabricast::inline packet
