#include "sim/report/summarize.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/engines/common/accounting.hpp"

namespace fabricast {

namespace {

constexpr double busy_share = 0.5;  // below this, no link is what the collective waits for

// The longest time that any pipeline streams at its channels' own rate, in seconds.
double channel_time(const Schedule& schedule) {
    double longest = 0;
    for (const Pipeline& pipeline : schedule.pipelines) {
        longest = std::max(longest, pipeline.bytes_per_edge / pipeline.edge_rate_cap);
    }
    return longest;
}

double longest_delay(const Schedule& schedule) {
    Duration longest;
    for (const Delay& delay : schedule.delays) {
        longest = std::max(longest, delay.duration);
    }
    return to_seconds(longest);
}

}  // namespace

double iteration_time(const Plan& plan, const Timeline& timeline) {
    const auto iterations = static_cast<std::size_t>(plan.iterations);
    assert(iterations >= 1 && timeline.kept.size() >= iterations);
    const Time end = timeline.kept[iterations - 1].finish;
    const Time begin = iterations > 1 ? timeline.kept[iterations - 2].finish : Time{};
    const double each = to_seconds(end - begin);
    if (plan.timed_calls == 0) {
        return each;
    }
    assert(timeline.kept.size() > iterations);
    const double calls = plan.timed_calls;
    const double arrived = to_seconds(timeline.kept[iterations].finish - Time{});
    return (arrived + (calls - static_cast<double>(iterations)) * each) / calls;
}

std::string bottleneck(const Plan& plan, const Timeline& timeline, const Fabric& fabric) {
    const bool any_link = !timeline.busiest.empty();
    if (any_link && timeline.busiest.front().utilisation >= busy_share) {
        const LinkUse& use = timeline.busiest.front();
        const long percent = std::lround(std::min(use.utilisation, 1.0) * 100);
        return fabric.link_name(use.link) + " " + std::to_string(percent) + " %";
    }
    if (timeline.packets && timeline.packets->throttled >= busy_share) {
        return "congestion control";
    }
    const double time = iteration_time(plan, timeline);
    if (channel_time(plan.schedule) >= busy_share * time) {
        return "channel rate";
    }
    return longest_delay(plan.schedule) >= busy_share * time ? "issue" : "latency";
}

Row summarize(const Plan& plan, Bytes size, const Timeline& timeline, const Fabric& fabric) {
    Row row;
    row.size = size;
    row.time_s = iteration_time(plan, timeline);
    const double least = least_seconds(plan.schedule, timeline, fabric) / plan.iterations;
    row.time_low80_s = std::min(row.time_s, std::max(row.time_s * (1 + plan.relative_low80), least));
    row.time_high80_s = row.time_s * (1 + plan.relative_high80);
    row.algbw = row.time_s > 0 ? static_cast<double>(size.count) / row.time_s : 0;
    row.busbw = row.algbw * plan.bytes_moved_factor;
    row.algorithm = to_string(plan.algorithm);
    row.protocol = to_string(plan.protocol);
    row.channels = plan.channels;
    row.bottleneck = bottleneck(plan, timeline, fabric);
    row.evidence = plan.evidence;
    return row;
}

LinkTraffic link_traffic(std::string row, const Timeline& timeline, const Fabric& fabric) {
    return {std::move(row),   fabric.node_count(), to_seconds(timeline.makespan),
            timeline.busiest, timeline.classes,    timeline.busy};
}

std::string weakest_evidence(const std::vector<Row>& rows) {
    assert(!rows.empty());
    const auto weaker = [](const Row& a, const Row& b) { return a.evidence < b.evidence; };
    const Evidence weakest = std::max_element(rows.begin(), rows.end(), weaker)->evidence;
    std::vector<Bytes> sizes;
    for (const Row& row : rows) {
        if (row.evidence == weakest) {
            sizes.push_back(row.size);
        }
    }
    std::string words(to_string(weakest));
    if (sizes.size() < rows.size()) {
        const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
        words +=
            ", at " + std::to_string(sizes.size()) + " of " + std::to_string(rows.size()) + " sizes (" + text(*low);
        words += sizes.size() > 1 ? " to " + text(*high) + ")" : ")";
    }
    return words;
}

}  // namespace fabricast
