#pragma once
// A running pipeline: which share of its running time has passed, and how fast the rest passes.

#include <algorithm>
#include <cstdint>

#include "sim/engines/common/pipeline_form.hpp"
#include "sim/engines/common/ticks.hpp"

namespace fabricast {

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
        if (seconds > 0) {
            done = std::min(1.0, done + to_seconds(now - last) / seconds);
        }
        last = now;
        seconds = 0;
    }
    Time release() const { return predicted(last, (1 - done) * seconds); }
    Time finish() const { return predicted(last, (1 - done) * seconds + form.draining(tau)); }
};

}  // namespace fabricast
