#pragma once
// A service clock per class: bytes served to each member since the class became busy. A member is done when the clock
// reaches its mark, so a change of rate costs O(1) for the class, not one update per flow.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/ticks.hpp"

namespace fabricast {

struct ServiceClock {
    struct Mark {
        double bytes;
        OpId op;
    };

    Time last;
    double served = 0;          // wire bytes, at `last`
    double rate = 0;            // wire bytes per second since `last`
    std::uint32_t version = 0;  // of the prediction that is in the event queue
    std::vector<Mark> marks;    // a heap, smallest first; equal marks by op

    void advance(Time now) {
        served += rate * to_seconds(now - last);
        last = now;
    }

    void add(Time now, double bytes, OpId op) {
        if (marks.empty()) {  // a new busy period: rounding errors are not carried over
            served = 0;
            last = now;
        } else {
            advance(now);
        }
        marks.push_back({served + bytes, op});
        std::push_heap(marks.begin(), marks.end(), later);
    }

    // When the first member is done. Precondition: marks, rate > 0.
    Time due() const { return predicted(last, std::max(0.0, marks.front().bytes - served) / rate); }

    // Removes every member that is due by `now`; calls done(op).
    template <class Done>
    void take_due(Time now, Done&& done) {
        while (!marks.empty() && due() <= now) {
            std::pop_heap(marks.begin(), marks.end(), later);
            const OpId op = marks.back().op;
            marks.pop_back();
            done(op);
        }
    }

    // Removes every member that `which` accepts; calls taken(op, bytes left). Precondition: advanced to now.
    template <class Which, class Taken>
    void take_if(Which&& which, Taken&& taken) {
        const auto gone = std::partition(marks.begin(), marks.end(), [&](const Mark& m) { return !which(m.op); });
        std::sort(gone, marks.end(), [](const Mark& a, const Mark& b) { return a.op < b.op; });
        for (auto mark = gone; mark != marks.end(); ++mark) {
            taken(mark->op, std::max(0.0, mark->bytes - served));
        }
        marks.erase(gone, marks.end());
        std::make_heap(marks.begin(), marks.end(), later);
    }

private:
    static bool later(const Mark& a, const Mark& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.op > b.op; }
};

}  // namespace fabricast
