#include "sim/engines/packet/recording.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace fabricast::inline packet {

void Recording::record(std::vector<std::uint32_t> leaders, bool meets, Traces before) {
    const std::uint32_t number = leaders.front();
    Group& group = groups_[number];
    group = {std::move(leaders), {}, std::move(before), meets, ++changes_};
    for (const std::uint32_t part : group.leaders) {
        courses_[part].kind = Course::recorded;
        courses_[part].group = number;
        courses_.hold(part, part);
    }
    std::set<std::uint32_t> go_on;  // buffers of which something was recorded already
    for (const auto& [p, trace] : group.before) { go_on.insert(net_.ports[p].to_node); }
    const Courses::Links links = courses_.links_of(group.leaders);
    for (const std::uint32_t n : links.buffers) {
        if (recordings_[n]++ == 0 && !go_on.contains(n)) { net_.nodes[n].most = net_.nodes[n].used; }
    }
    for (const std::uint32_t p : links.ports) {
        if (!group.before.try_emplace(p, trace_of(p)).second) { continue; }
        net_.counts[p].most_queued = 0;
        net_.ingress[p].most = 0;
        net_.ingress[p].least_slack = std::numeric_limits<double>::max();
    }
}

Group Recording::end(std::uint32_t number) {
    if (recorded(number) == number) { recorded(number) = none; }
    Group group = std::move(groups_.extract(number).mapped());
    ++changes_;
    for (const std::uint32_t n : courses_.links_of(group.leaders).buffers) { --recordings_[n]; }
    return group;
}

bool Recording::differs(const Group& group) const {
    return std::ranges::any_of(group.before, [&](const auto& recorded) {
        const auto& [p, before] = recorded;
        const bool drawn = net_.counts[p].draws != before.draws && shared_.control != CongestionControl::none;
        return drawn || net_.ingress[p].pauses != before.pauses;
    });
}

// Inputs are seldom at their fullest at one time, so their sum may be more than the buffer ever held, with whatever
// else was in it. What others hold beside it takes alpha times as much off every threshold of a cable.
std::vector<Held> Recording::held_of(const Courses::Links& links) const {
    struct Seen {
        std::int64_t sum = 0;
        double least_slack = std::numeric_limits<double>::max();
    };
    std::map<std::uint32_t, Seen> of;
    for (const std::uint32_t p : links.ports) {
        Seen& seen = of[net_.ports[p].to_node];
        const Ingress& in = net_.ingress[p];
        seen.sum += in.most;
        seen.least_slack = std::min(seen.least_slack, in.least_slack / in.cables);
    }
    std::vector<Held> all;
    for (const std::uint32_t n : links.buffers) {
        const Node& node = net_.nodes[n];
        const std::int64_t most = std::min(of[n].sum, node.most);
        const double beside =
            std::min(of[n].least_slack / shared_.options.alpha, static_cast<double>(node.buffer - most));
        all.push_back({most, static_cast<std::int64_t>(beside)});
    }
    return all;
}

Trace Recording::trace_of(std::uint32_t p) const {
    const PortCounts& counts = net_.counts[p];
    const Ingress& in = net_.ingress[p];
    return {.sent_bytes = net_.ports[p].sent_bytes,
            .most_queued = counts.most_queued,
            .marks = counts.marks,
            .pauses = in.pauses,
            .draws = counts.draws,
            .starved = counts.starved,
            .free = net_.ports[p].free,
            .last_credit = in.last_credit};
}

Outcome Recording::outcome_of(const Group& group) {
    const Course& course = courses_[group.leaders.front()];
    Outcome outcome;
    outcome.released = course.released == never ? never : course.released - course.entered;
    outcome.ended = course.ended - course.entered;
    for (const std::uint32_t part : group.leaders) {
        outcome.settled = std::max(outcome.settled, courses_[part].ended - course.entered);
    }
    const Courses::Links links = courses_.links_of(group.leaders);
    for (const std::uint32_t p : links.ports) {
        const Trace& before = group.before.at(p);
        Trace trace = trace_of(p);
        trace.sent_bytes -= before.sent_bytes;
        trace.marks -= before.marks;
        trace.starved -= before.starved;
        trace.free -= course.entered;
        trace.last_credit -= course.entered;
        net_.counts[p].most_queued = std::max(trace.most_queued, before.most_queued);
        outcome.settled = std::max({outcome.settled, trace.free, trace.last_credit});
        outcome.traces.push_back(trace);
    }
    outcome.held = held_of(links);
    for (const std::uint32_t part : group.leaders) {
        count(part, outcome.counts);
        const Traffic& traffic = shared_.traffic;
        const std::uint32_t first = traffic.first_stream_flow + traffic.first_stream[courses_[part].pipeline];
        for (const std::uint32_t s : courses_.at(part).streams) {
            const std::uint32_t controller = courses_.at(part).controlled ? traffic.flows[first + s].controller : none;
            if (controller != none) { outcome.sending += shared_.throttles[controller].sending(); }
        }
    }
    return outcome;
}

// Packets of all its streams, each of which arrived once.
void Recording::count(std::uint32_t part, DomainCounts& counts) const {
    const Traffic& traffic = shared_.traffic;
    const Shape& shape = traffic.shape(courses_[part].pipeline);
    for (const std::uint32_t i : courses_.at(part).streams) {
        const Stream& stream = traffic.stream_patterns[shape.first + i];
        const std::uint32_t pattern = traffic.flow_pattern(shape, i);
        const std::int64_t hops = traffic.route_patterns[pattern].hops;
        if (hops == 0) { continue; }
        const std::int64_t unit = traffic.flow_patterns[pattern].unit;
        const std::int64_t last = std::min<std::int64_t>(stream.pieces, stream.slices);
        for (const auto& [pieces, bytes] :
             {std::pair<std::int64_t, std::int64_t>{stream.pieces - last, stream.piece_bytes},
              std::pair<std::int64_t, std::int64_t>{last, stream.last_bytes}}) {
            const std::int64_t each = std::max<std::int64_t>(1, bytes);
            const std::int64_t packets = pieces * ((each + unit - 1) / unit);
            counts.injected += packets;
            counts.delivered += packets;
            counts.hops += packets * hops;
            counts.delivered_bytes += pieces * each;
        }
    }
}

void Recording::take_over(Members members, const Outcome& outcome) {
    const Courses::Links links = courses_.links_of(members);
    const Ps entered = courses_[members.front()].entered;
    for (std::size_t i = 0; i < links.ports.size(); ++i) {
        const std::uint32_t p = links.ports[i];
        const Trace& trace = outcome.traces[i];
        Port& port = net_.ports[p];
        PortCounts& counts = net_.counts[p];
        Ingress& in = net_.ingress[p];
        port.sent_bytes += trace.sent_bytes;
        counts.marks += trace.marks;
        counts.starved += trace.starved;
        counts.most_queued = std::max(counts.most_queued, trace.most_queued);
        port.free = std::max(port.free, entered + trace.free);
        in.last_credit = std::max(in.last_credit, entered + trace.last_credit);
    }
    shared_.sending += outcome.sending;
    shared_.skipped += outcome.counts;
    for (const std::uint32_t part : members) {
        if (courses_[part].kind == Course::skipped && courses_[part].group == none) {
            courses_.reserve(courses_.at(part).buffers, outcome.held, false);
        }
        courses_[part].kind = Course::simulated;
        courses_.hold(part, none);
    }
}

void Recording::evict(std::uint32_t part, Ps now, std::vector<Entry::Start>& starts) {
    if (courses_[part].kind == Course::skipped) {
        courses_.give_up(courses_.at(part).buffers, outcome(part)->held, now);
    }
    courses_.simulate_after_all(part, starts);
}

bool Recording::take_over_settled(std::uint32_t part, Ps now) {
    const Course& course = courses_[part];
    if (!course.over || course.entered + outcome(part)->settled > now) { return false; }
    take_over({&part, 1}, *outcome(part));
    return true;
}

void Recording::finish() {
    for (const auto& [number, group] : groups_) {
        const Outcome outcome = outcome_of(group);
        for (const std::vector<std::uint32_t>& members : group.followers) { take_over(members, outcome); }
    }
    for (std::uint32_t part = 0; part < courses_.size(); ++part) {
        if (courses_[part].kind == Course::skipped) { take_over({&part, 1}, *outcome(part)); }
    }
}

}  // namespace fabricast::inline packet
