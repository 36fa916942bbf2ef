#pragma once
// Flows that begin at a port take turns, one packet each; those that must wait because of their rate are kept apart.

#include <algorithm>
#include <vector>

#include "sim/engines/packet/frame.hpp"
#include "sim/engines/packet/ring.hpp"

namespace fabricast::inline packet {

class Sender {
public:
    bool empty() const { return ready_.empty() && in_order_.empty() && others_.empty(); }
    // When the next flow may send; never if no flow waits.
    Ps next() const { return !ready_.empty() ? 0 : is_later() ? first_later().at : never; }
    // The flow whose turn it would be then.
    std::uint32_t peek() const { return ready_.empty() ? first_later().flow : ready_.front(); }

    // `now`: the port is busy from then on, so a flow that may send by then is simply queued. -1: not known.
    [[gnu::always_inline]] void add(std::uint32_t flow, Ps at, Ps now) {
        if (at <= now) {
            ready_.push(flow);
        } else if (in_order_.size() <= reach || !After()(in_order_.at(in_order_.size() - reach), {at, flow})) {
            in_order_.insert({at, flow}, After());
        } else {
            add_other(flow, at);
        }
    }

    void remove(std::uint32_t flow) {
        const auto leave_out = [](auto& queue, auto&& is_it) {
            for (std::uint32_t left = queue.size(); left > 0; --left) {
                const auto front = queue.front();
                queue.pop();
                if (!is_it(front)) { queue.push(front); }
            }
        };
        const auto waits = [&](const Later& waiting) { return waiting.flow == flow; };
        leave_out(ready_, [&](std::uint32_t front) { return front == flow; });
        leave_out(in_order_, waits);
        std::erase_if(others_, waits);
        std::make_heap(others_.begin(), others_.end(), After());
    }

    // In the order in which they will be taken, if nothing is added: visit(flow, when it may send; -1: at once).
    template <class Visit> void for_each(Visit&& visit) {
        ready_.for_each([&](std::uint32_t flow) { visit(flow, Ps{-1}); });
        std::vector<Later> later = others_;
        in_order_.for_each([&](const Later& waiting) { later.push_back(waiting); });
        std::ranges::sort(later, [](const Later& a, const Later& b) { return After()(b, a); });
        for (const Later& waiting : later) { visit(waiting.flow, waiting.at); }
    }
    void shift(Ps by) {
        in_order_.for_each([&](Later& waiting) { waiting.at += by; });
        for (Later& waiting : others_) { waiting.at += by; }
    }

    std::uint32_t take(Ps now) {
        if (ready_.empty()) {
            const std::uint32_t flow = take_later();
            make_ready(now);
            return flow;
        }
        make_ready(now);
        const std::uint32_t flow = ready_.front();
        ready_.pop();
        return flow;
    }

private:
    struct Later {
        Ps at = 0;
        std::uint32_t flow = 0;
    };
    struct After {  // two comparisons at most, where <=> of pairs takes three times the instructions
        bool operator()(const Later& a, const Later& b) const { return a.at != b.at ? a.at > b.at : a.flow > b.flow; }
    };

    [[gnu::always_inline]] void make_ready(Ps now) {
        while (is_later() && first_later().at <= now) { ready_.push(take_later()); }
    }
    [[gnu::always_inline]] std::uint32_t take_later() {
        if (others_first()) { return take_other(); }
        const std::uint32_t flow = in_order_.front().flow;
        in_order_.pop();
        return flow;
    }
    [[gnu::noinline]] std::uint32_t take_other() {
        std::pop_heap(others_.begin(), others_.end(), After());
        const std::uint32_t flow = others_.back().flow;
        others_.pop_back();
        return flow;
    }
    [[gnu::noinline]] void add_other(std::uint32_t flow, Ps at) {
        others_.push_back({at, flow});
        std::push_heap(others_.begin(), others_.end(), After());
    }
    bool is_later() const { return !in_order_.empty() || !others_.empty(); }
    bool others_first() const {
        return !others_.empty() && (in_order_.empty() || After()(in_order_.front(), others_.front()));
    }
    const Later& first_later() const { return others_first() ? others_.front() : in_order_.front(); }

    // The flows of a port have few different rates, so most that come belong near the end of the queue. To put one
    // there takes a third of what a heap does; only those that would have to pass more others than this are in a heap.
    static constexpr std::uint32_t reach = 16;

    Fifo<std::uint32_t> ready_;
    Fifo<Later> in_order_;
    std::vector<Later> others_;  // a heap
};

}  // namespace fabricast::inline packet
