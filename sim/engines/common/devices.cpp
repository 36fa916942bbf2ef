#include "sim/engines/common/devices.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "sim/engines/common/ticks.hpp"

namespace fabricast::inline engine_common {

namespace {

// The share in effect at a moment, and when it next changes.
struct Stretch {
    double share = 1;
    Time end = end_of_time;
};

Stretch stretch_at(const std::vector<PaceChange>& slow, Time at) {
    const auto next = std::ranges::upper_bound(slow, at, {}, &PaceChange::at);
    return {next == slow.begin() ? 1 : std::prev(next)->share, next == slow.end() ? end_of_time : next->at};
}

// Shares `total` among wants: each gets what it wants or the common level, whichever is less.
std::vector<double> shared_by_level(double total, const std::vector<double>& want) {
    std::vector<std::size_t> order(want.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return want[k]; });
    std::vector<double> got(want.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double level = total / static_cast<double>(order.size() - i);
        if (want[order[i]] > level) {  // as do all after it: they all get exactly the same double
            for (; i < order.size(); ++i) { got[order[i]] = level; }
            return got;
        }
        got[order[i]] = want[order[i]];
        total -= got[order[i]];
    }
    return got;
}

}  // namespace

Duration healthy_time(const std::vector<PaceChange>& slow, Time from, Time to) {
    if (slow.empty()) { return to - from; }
    double seconds = 0;
    while (from < to) {
        const Stretch stretch = stretch_at(slow, from);
        const Time end = std::min(to, stretch.end);
        seconds += stretch.share * to_seconds(end - from);
        from = end;
    }
    return from_seconds(seconds);
}

Time when_passed(const std::vector<PaceChange>& slow, Time from, double healthy_s) {
    double left = slow.empty() ? healthy_s : to_seconds(ticks_up(healthy_s));
    for (;;) {
        const Stretch stretch = stretch_at(slow, from);
        const double fits = stretch.share * to_seconds(stretch.end - from);
        if (left <= fits || stretch.end == end_of_time) { return predicted(from, left / stretch.share); }
        left -= fits;
        from = stretch.end;
    }
}

std::vector<double> kernel_times(const DeviceLimits& limits, const std::vector<const Compute*>& running,
                                 const Taken& taken) {
    const double free_sms = std::max(std::min(1.0, limits.sms), limits.sms - taken.sms);
    std::vector<double> want;
    want.reserve(running.size());
    for (const Compute* kernel : running) {
        want.push_back(kernel->sms == 0 ? limits.sms : std::min<double>(kernel->sms, limits.sms));
    }
    const std::vector<double> sms = shared_by_level(free_sms, want);

    // A kernel bound by its arithmetic asks for no more bandwidth than it can use; the rest is left for other kernels.
    std::vector<double> arithmetic;
    for (std::size_t k = 0; k < running.size(); ++k) {
        const Compute& kernel = *running[k];
        arithmetic.push_back(kernel.flops > 0 ? kernel.flops / (kernel.peak * sms[k] / limits.sms) : 0);
        want[k] = kernel.bytes == 0    ? 0
                  : arithmetic[k] == 0 ? std::numeric_limits<double>::infinity()
                                       : kernel.bytes / arithmetic[k];
    }
    std::vector<double> times = arithmetic;
    if (limits.memory_bandwidth > 0) {
        const std::vector<double> bandwidth = shared_by_level(
            std::max(limits.memory_bandwidth / 100, limits.memory_bandwidth - taken.memory_bandwidth), want);
        for (std::size_t k = 0; k < running.size(); ++k) {
            if (running[k]->bytes > 0) { times[k] = std::max(times[k], running[k]->bytes / bandwidth[k]); }
        }
    }
    return times;
}

}  // namespace fabricast::inline engine_common
