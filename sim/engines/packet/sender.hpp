#pragma once
// Flows that begin at a port take turns, one packet each; those that must wait because of their rate are in a heap.

#include <algorithm>
#include <vector>

#include "sim/engines/packet/frame.hpp"
#include "sim/engines/packet/ring.hpp"

namespace fabricast::inline packet {

class Sender {
public:
    bool empty() const { return ready_.empty() && later_.empty(); }
    // When the next flow may send; never if no flow waits.
    Ps next() const { return !ready_.empty() ? 0 : later_.empty() ? never : later_.front().at; }
    // The flow whose turn it would be then.
    std::uint32_t peek() const { return ready_.empty() ? later_.front().flow : ready_.front(); }

    // `now`: the port is busy from then on, so a flow that may send by then is simply queued. -1: not known.
    void add(std::uint32_t flow, Ps at, Ps now) {
        if (at <= now) {
            ready_.push(flow);
        } else {
            later_.push_back({at, flow});
            std::push_heap(later_.begin(), later_.end(), After());
        }
    }

    void remove(std::uint32_t flow) {
        for (std::uint32_t left = ready_.size(); left > 0; --left) {
            const std::uint32_t front = ready_.front();
            ready_.pop();
            if (front != flow) { ready_.push(front); }
        }
        std::erase_if(later_, [&](const Later& waiting) { return waiting.flow == flow; });
        std::make_heap(later_.begin(), later_.end(), After());
    }

    // In the order in which they will be taken, if nothing is added: visit(flow, when it may send; -1: at once).
    template <class Visit> void for_each(Visit&& visit) {
        ready_.for_each([&](std::uint32_t flow) { visit(flow, Ps{-1}); });
        std::vector<Later> later = later_;
        std::ranges::sort(later, [](const Later& a, const Later& b) { return After()(b, a); });
        for (const Later& waiting : later) { visit(waiting.flow, waiting.at); }
    }
    void shift(Ps by) {
        for (Later& waiting : later_) { waiting.at += by; }
    }

    std::uint32_t take(Ps now) {
        while (!later_.empty() && later_.front().at <= now) {
            ready_.push(later_.front().flow);
            std::pop_heap(later_.begin(), later_.end(), After());
            later_.pop_back();
        }
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

    Fifo<std::uint32_t> ready_;
    std::vector<Later> later_;
};

}  // namespace fabricast::inline packet
