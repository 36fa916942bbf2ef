#pragma once
// How far what is running has come: the messages of a class, and a pipeline.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engines/common/pipeline_form.hpp"
#include "sim/engines/common/ticks.hpp"

namespace fabricast::inline flow {

// A service clock per class: bytes served to each member since the class became busy. A member is done when the clock
// reaches its mark, so a change of rate costs O(1) for the class, not one update per flow.
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
    template <class Done> void take_due(Time now, Done&& done) {
        while (!marks.empty() && due() <= now) {
            std::pop_heap(marks.begin(), marks.end(), later);
            const OpId op = marks.back().op;
            marks.pop_back();
            done(op);
        }
    }

    // Removes every member that `which` accepts; calls taken(op, bytes left). Precondition: advanced to now.
    template <class Which, class Taken> void take_if(Which&& which, Taken&& taken) {
        const auto gone = std::partition(marks.begin(), marks.end(), [&](const Mark& m) { return !which(m.op); });
        std::sort(gone, marks.end(), [](const Mark& a, const Mark& b) { return a.op < b.op; });
        for (auto mark = gone; mark != marks.end(); ++mark) { taken(mark->op, std::max(0.0, mark->bytes - served)); }
        marks.erase(gone, marks.end());
        std::make_heap(marks.begin(), marks.end(), later);
    }

private:
    static bool later(const Mark& a, const Mark& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.op > b.op; }
};

// A running pipeline: which share of its running time has passed, and how fast the rest passes.
struct RunningPipeline {
    PipelineForm form;
    OpId op{};
    Time last{};                // when the pace last changed
    double done = 0;            // 0..1, at `last`
    double tau = 0;             // chunk time at the present rate
    double seconds = 0;         // of the whole run, start to release, at the present rate; 0: it has no rate
    std::uint32_t version = 0;  // of the prediction that is in the event queue

    // From now on chunks take as long as they do at `rate`. If the rate never changes, this is the closed form.
    void set_rate(Time now, double rate) {
        pause(now);
        tau = form.tau(rate);
        seconds = form.running(tau);
    }
    // Nothing moves from now on.
    void pause(Time now) {
        if (seconds > 0) { done = std::min(1.0, done + to_seconds(now - last) / seconds); }
        last = now;
        seconds = 0;
    }
    Time release() const { return predicted(last, (1 - done) * seconds); }
    Time finish() const { return predicted(last, (1 - done) * seconds + form.draining(tau)); }
};

}  // namespace fabricast::inline flow
