// Records what parts leave behind, and gives it to those that take it over.

#include <algorithm>
#include <set>
#include <utility>

#include "sim/engines/packet/reuse.hpp"

namespace fabricast::inline packet {

void Reuse::record(std::vector<std::uint32_t> leaders) {
    const std::uint32_t number = leaders.front();
    Group& group = groups_[number];
    group.leaders = std::move(leaders);
    for (const std::uint32_t part : group.leaders) {
        courses_[part].kind = Course::recorded;
        courses_[part].group = number;
        hold(part, part);
    }
    begin_traces(group, 0);
}

// From the first of the group's ports whose trace has not begun.
void Reuse::begin_traces(Group& group, std::size_t first) {
    const Part links = links_of(group.leaders);
    for (std::size_t i = first; i < links.ports.size(); ++i) {
        const std::uint32_t p = links.ports[i];
        group.before.push_back(trace_of(p));
        group.draws.push_back(net_.counts[p].draws);
        net_.counts[p].most_queued = 0;
        net_.ingress[p].most = 0;
    }
}

// Others of its kind may not be left with the same: marks were drawn that senders heed, or ports were paused, which
// hear of the end of a pause when they next have a packet.
bool Reuse::differs(const Group& group) const {
    const Part links = links_of(group.leaders);
    for (std::size_t i = 0; i < links.ports.size(); ++i) {
        const std::uint32_t p = links.ports[i];
        const bool drawn = net_.counts[p].draws != group.draws[i] && shared_.control != CongestionControl::none;
        if (drawn || net_.ingress[p].pauses != group.before[i].pauses) { return true; }
    }
    return false;
}

std::vector<Reuse::Held> Reuse::held_of(const Part& links) const {
    std::map<std::uint32_t, Held> of;
    for (const std::uint32_t p : links.ports) {
        Held& held = of[net_.ports[p].to_node];
        held.together += net_.ingress[p].most;
        held.one = std::max(held.one, net_.ingress[p].most);
    }
    std::vector<Held> all;
    for (const std::uint32_t n : links.buffers) { all.push_back(of[n]); }
    return all;
}

Part Reuse::links_of(Members members) const {
    if (members.size() == 1) { return at(members.front()); }
    Part links;
    std::set<std::uint32_t> seen;
    for (const std::uint32_t part : members) {
        for (const std::uint32_t p : at(part).ports) {
            if (seen.insert(p).second) { links.ports.push_back(p); }
        }
        for (const std::uint32_t n : at(part).buffers) {
            if (seen.insert(net_.port_count + n).second) { links.buffers.push_back(n); }
        }
    }
    return links;
}

bool Reuse::over(const Group& group) const {
    return std::ranges::all_of(group.leaders, [&](std::uint32_t part) { return courses_[part].over; });
}

Reuse::Trace Reuse::trace_of(std::uint32_t p) const {
    const PortCounts& counts = net_.counts[p];
    const Ingress& in = net_.ingress[p];
    return {.sent_bytes = net_.ports[p].sent_bytes,
            .most_queued = counts.most_queued,
            .marks = counts.marks,
            .pauses = in.pauses,
            .starved = counts.starved,
            .free = net_.ports[p].free,
            .last_credit = in.last_credit};
}

Reuse::Outcome Reuse::outcome_of(const Group& group) {
    const Course& course = courses_[group.leaders.front()];
    Outcome outcome;
    outcome.released = course.released == never ? never : course.released - course.entered;
    outcome.ended = course.ended - course.entered;
    for (const std::uint32_t part : group.leaders) {
        outcome.settled = std::max(outcome.settled, courses_[part].ended - course.entered);
    }
    const Part links = links_of(group.leaders);
    for (std::size_t i = 0; i < links.ports.size(); ++i) {
        const std::uint32_t p = links.ports[i];
        const Trace& before = group.before[i];
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
        const std::uint32_t first = traffic.first_stream_flow + traffic.first_stream[pipeline_of(part)];
        for (const std::uint32_t s : at(part).streams) {
            const std::uint32_t controller = at(part).controlled ? traffic.flows[first + s].controller : none;
            if (controller != none) { outcome.sending += shared_.throttles[controller].sending(); }
        }
    }
    return outcome;
}

// If it has ended and its links are at rest, it is known what the kind of a part that led by itself leaves behind.
void Reuse::stop_recording(std::uint32_t number, Ps now, std::vector<Start>& starts) {
    const Group group = std::move(groups_.extract(number).mapped());
    const bool ended = over(group);
    const bool single = group.leaders.size() == 1;
    const std::uint32_t kind = at(number).kind;
    const bool same = !differs(group);
    Outcome outcome = outcome_of(group);
    if (single && recorded_[kind] == number) { recorded_[kind] = none; }
    for (const auto& members : group.followers) { elsewhere_ -= is_elsewhere(members, group) ? 1 : 0; }
    for (const std::uint32_t part : group.leaders) {
        courses_[part].kind = Course::simulated;
        hold(part, none);
    }
    const bool rests = std::ranges::all_of(group.leaders, [&](std::uint32_t part) { return at_rest(at(part), now); });
    if (ended && rests && same) {
        for (const std::vector<std::uint32_t>& members : group.followers) { take_over(members, outcome); }
        if (single) {
            outcomes_[kind] = std::move(outcome);
        } else if (group.meets) {
            learn(group, never, std::move(outcome));
        }
        return;
    }
    for (const std::vector<std::uint32_t>& members : group.followers) {
        const bool leads = single && !ended && recorded_[kind] == none;
        if (single && !ended && !leads) {  // it follows the one that leads now, of which nothing has ended yet
            const Course& before = courses_[number];
            starts.push_back({members.front(), pipeline_of(members.front()), before.entered, before.streams_ended,
                              before.releases_ended, false});
            follow(members, recorded_[kind]);
            continue;
        }
        evict_followers(members, starts);
        if (leads) {
            recorded_[kind] = members.front();
            record(members);
        }
    }
}

// Packets of all its streams, each of which arrived once.
void Reuse::count(std::uint32_t part, DomainCounts& counts) const {
    const Traffic& traffic = shared_.traffic;
    const Shape& shape = traffic.shape(pipeline_of(part));
    for (const std::uint32_t i : at(part).streams) {
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

// Counts parts that were not simulated.
void Reuse::take_over(Members members, const Outcome& outcome) {
    const Part links = links_of(members);
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
    shared_.skipped.injected += outcome.counts.injected;
    shared_.skipped.delivered += outcome.counts.delivered;
    shared_.skipped.hops += outcome.counts.hops;
    shared_.skipped.delivered_bytes += outcome.counts.delivered_bytes;
    for (const std::uint32_t part : members) {
        if (courses_[part].kind == Course::skipped && courses_[part].group == none) {
            reserve(at(part).buffers, outcome.held, false);
        }
        courses_[part].kind = Course::simulated;
        hold(part, none);
    }
}

void Reuse::hold(std::uint32_t part, std::uint32_t holder) {
    for (const std::uint32_t r : at(part).resources) { holder_[r] = holder; }
}

void Reuse::finish() {
    for (const auto& [number, group] : groups_) {
        const Outcome outcome = outcome_of(group);
        for (const std::vector<std::uint32_t>& members : group.followers) { take_over(members, outcome); }
    }
    while (!encounters_.empty()) { take_over_encounter(encounters_.begin()->first, never); }
    for (std::uint32_t part = 0; part < courses_.size(); ++part) {
        if (courses_[part].kind == Course::skipped) { take_over({&part, 1}, *outcomes_[at(part).kind]); }
    }
}

}  // namespace fabricast::inline packet
