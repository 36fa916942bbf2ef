#include "sim/engines/packet/reuse.hpp"

#include <algorithm>
#include <utility>

namespace fabricast::inline packet {

Reuse::Reuse(Shared& shared, const ReplayTask& task) : shared_(shared) {
    const Traffic& traffic = shared.traffic;
    const Packet& options = shared.options;
    bool lanes = false;
    for (std::uint32_t p = 0; p < net_.port_count; ++p) { lanes |= net_.ports[p].lanes > 1; }
    // Paths that are drawn by the flow's number, timers, turns of lanes and rates that follow round trips are not the
    // same again; series are not recorded.
    on_ = options.reuse && options.routing == PacketRouting::ecmp && !options.series && !shared.lossy && !lanes &&
          !traffic.all_begun && traffic.connections.empty() && shared.control != CongestionControl::timely;
    if (!on_) { return; }
    parts_ = find_parts(traffic);
    on_ = std::ranges::any_of(parts_.uses, [](std::uint64_t uses) { return uses > 1; });
    if (!on_) { return; }
    outcomes_.resize(parts_.uses.size());
    recorded_.assign(parts_.uses.size(), none);
    for (std::uint32_t p = 0; p < task.schedule.pipelines.size(); ++p) {
        first_part_.push_back(static_cast<std::uint32_t>(courses_.size()));
        Course course;
        course.pipeline = p;
        courses_.resize(courses_.size() + parts_.of_shape[traffic.shape_of[p]].size(), course);
    }
    first_part_.push_back(static_cast<std::uint32_t>(courses_.size()));
    const std::size_t resources = net_.port_count + net_.nodes.size() + net_.services.size();
    users_.assign(resources, 0);
    holder_.assign(resources, none);
}

// Whether links, buffers and services are as they were at the beginning of the replay.
bool Reuse::at_rest(const Part& of, Ps now) const {
    const auto rests = [&](std::uint32_t p) {
        const Port& port = net_.ports[p];
        const Ingress& in = net_.ingress[p];
        return port.queue.empty() && port.wire.empty() && !shared_.has_traffic(port) && port.free <= now &&
               !port.paused && !port.down && in.bytes == 0 && in.over == 0 && !in.paused && !in.will_refresh &&
               in.last_credit <= now;
    };
    return std::ranges::all_of(of.ports, rests) &&
           std::ranges::all_of(of.buffers, [&](std::uint32_t n) { return net_.nodes[n].used == 0; }) &&
           std::ranges::all_of(of.services, [&](std::uint32_t s) { return net_.services[s].free <= now; });
}

Reuse::Entry Reuse::enter(std::uint32_t pipeline, Ps now) {
    Entry entry;
    const std::uint32_t first = first_part_[pipeline], end = first_part_[pipeline + 1];
    for (std::uint32_t part = first; part < end; ++part) {
        for (const std::uint32_t r : at(part).resources) {
            if (holder_[r] != none) { make_way(holder_[r], now, entry.starts); }
        }
    }
    for (std::uint32_t part = first; part < end; ++part) {
        const Part& mine = at(part);
        Course& course = courses_[part];
        if (mine.crossing == 0) { continue; }
        course.entered = now;
        const bool alone =
            std::ranges::all_of(mine.resources, [&](std::uint32_t r) { return users_[r] == 0; }) && at_rest(mine, now);
        if (alone && outcomes_[mine.kind]) {
            const Outcome& outcome = *outcomes_[mine.kind];
            course.kind = Course::skipped;
            hold(part, part);
            entry.skips.push_back(
                {part, outcome.released == never ? never : now + outcome.released, now + outcome.ended});
            continue;
        }
        const std::uint32_t leader = recorded_[mine.kind];
        // Marks that senders heed are drawn by flow and time, so each part must be watched by itself.
        const bool drawn = shared_.control != CongestionControl::none && mine.controlled;
        if (alone && !drawn && leader != none && leader >= first) {
            course.kind = Course::follows;
            course.leader = leader;
            ++courses_[leader].followers;
            hold(part, part);
            continue;
        }
        simulate(part, entry.starts, 0, 0);
        if (alone && leader == none && parts_.uses[mine.kind] > 1) { record(part); }
    }
    return entry;
}

void Reuse::simulate(std::uint32_t part, std::vector<Start>& starts, std::uint32_t streams_again,
                     std::uint32_t releases_again) {
    Course& course = courses_[part];
    course.kind = Course::simulated;
    course.over = course.told = false;
    course.leader = none;
    ++course.version;
    for (const std::uint32_t r : at(part).resources) { ++users_[r]; }
    starts.push_back({part, course.pipeline, course.entered, streams_again, releases_again});
}

// Something enters the links of a part that is recorded or not simulated.
void Reuse::make_way(std::uint32_t part, Ps now, std::vector<Start>& starts) {
    Course& course = courses_[part];
    const Course* leader = course.kind == Course::follows ? &courses_[course.leader] : nullptr;
    if (course.kind == Course::recorded) {
        stop_recording(part, course.over && at_rest(at(part), now), starts);
        return;
    }
    if (leader != nullptr && !leader->over) {
        --courses_[course.leader].followers;
        hold(part, none);
        simulate(part, starts, leader->streams_ended, leader->releases_ended);
        return;
    }
    if (leader != nullptr) {
        stop_recording(course.leader, at_rest(at(course.leader), now), starts);
        if (course.kind != Course::skipped) { return; }
    }
    const Outcome& outcome = *outcomes_[at(part).kind];
    if (course.over && course.entered + outcome.settled <= now) {
        take_over(part, outcome);
        return;
    }
    hold(part, none);
    simulate(part, starts, course.over ? at(part).crossing : 0, course.told ? at(part).releasing : 0);
}

std::uint32_t Reuse::stream_ended(std::uint32_t stream, Ps now) {
    const Traffic& traffic = shared_.traffic;
    const std::uint32_t pipeline = traffic.streams[stream].pipeline;
    const std::uint32_t number = parts_.part_of[traffic.shape_of[pipeline]][stream - traffic.first_stream[pipeline]];
    const std::uint32_t part = first_part_[pipeline] + number;
    Course& course = courses_[part];
    ++course.streams_ended;
    if (traffic.streams[stream].releases && ++course.releases_ended == at(part).releasing) { course.released = now; }
    if (course.streams_ended == at(part).crossing) {
        course.ended = now;
        course.over = true;
        for (const std::uint32_t r : at(part).resources) { --users_[r]; }
    }
    return 1 + course.followers;
}

std::uint32_t Reuse::part_released(std::uint32_t part) {
    courses_[part].told = true;
    return at(part).releasing;
}

std::uint32_t Reuse::part_ended(std::uint32_t part) {
    courses_[part].over = true;
    return at(part).crossing;
}

std::vector<Reuse::Start> Reuse::settled(std::uint32_t pipeline, Ps now) {
    std::vector<Start> starts;
    for (std::uint32_t part = first_part_[pipeline]; part < first_part_[pipeline + 1]; ++part) {
        if (courses_[part].kind == Course::recorded) { stop_recording(part, at_rest(at(part), now), starts); }
    }
    for (std::uint32_t part = first_part_[pipeline]; part < first_part_[pipeline + 1]; ++part) {
        const Course& course = courses_[part];
        if (course.kind != Course::skipped || !course.over) { continue; }
        const Outcome& outcome = *outcomes_[at(part).kind];
        if (course.entered + outcome.settled <= now) { take_over(part, outcome); }
    }
    return starts;
}

Reuse::Trace Reuse::trace_of(std::uint32_t p) const {
    const PortCounts& counts = net_.counts[p];
    const Ingress& in = net_.ingress[p];
    return {.sent_bytes = net_.ports[p].sent_bytes,
            .most_queued = counts.most_queued,
            .marks = counts.marks,
            .headroom_most = in.headroom_most,
            .pauses = in.pauses,
            .refreshes = in.refreshes,
            .starved = counts.starved,
            .paused = counts.paused,
            .free = net_.ports[p].free,
            .last_credit = in.last_credit};
}

void Reuse::record(std::uint32_t part) {
    const Part& mine = at(part);
    courses_[part].kind = Course::recorded;
    recorded_[mine.kind] = part;
    hold(part, part);
    Recording recording{part, {}, {}, {}};
    for (const std::uint32_t p : mine.ports) {
        recording.before.push_back(trace_of(p));
        recording.draws.push_back(net_.counts[p].draws);
        net_.counts[p].most_queued = net_.ingress[p].headroom_most = 0;
    }
    for (const std::uint32_t n : mine.buffers) {
        recording.used_before.push_back(std::exchange(net_.nodes[n].used_most, 0));
    }
    recordings_.push_back(std::move(recording));
}

Reuse::Outcome Reuse::outcome_of(const Recording& recording, bool& drawn) {
    const std::uint32_t part = recording.part;
    const Part& mine = at(part);
    const Course& course = courses_[part];
    Outcome outcome;
    outcome.released = course.released == never ? never : course.released - course.entered;
    outcome.ended = outcome.settled = course.ended - course.entered;
    for (std::size_t i = 0; i < mine.ports.size(); ++i) {
        const std::uint32_t p = mine.ports[i];
        const Trace& before = recording.before[i];
        Trace trace = trace_of(p);
        trace.sent_bytes -= before.sent_bytes;
        trace.marks -= before.marks;
        trace.pauses -= before.pauses;
        trace.refreshes -= before.refreshes;
        trace.starved -= before.starved;
        trace.paused -= before.paused;
        trace.free -= course.entered;
        trace.last_credit -= course.entered;
        drawn |= net_.counts[p].draws != recording.draws[i];
        net_.counts[p].most_queued = std::max(trace.most_queued, before.most_queued);
        net_.ingress[p].headroom_most = std::max(trace.headroom_most, before.headroom_most);
        outcome.settled = std::max({outcome.settled, trace.free, trace.last_credit});
        outcome.traces.push_back(trace);
    }
    for (std::size_t i = 0; i < mine.buffers.size(); ++i) {
        Node& node = net_.nodes[mine.buffers[i]];
        outcome.used_most.push_back(node.used_most);
        node.used_most = std::max(node.used_most, recording.used_before[i]);
    }
    outcome.counts = counts_of(part);
    for (const std::uint32_t s : mine.streams) {
        const Traffic& traffic = shared_.traffic;
        const std::uint32_t f = traffic.first_stream_flow + traffic.first_stream[course.pipeline] + s;
        const std::uint32_t controller = traffic.flows[f].controller;
        if (controller != none) { outcome.sending += shared_.throttles[controller].sending(); }
    }
    return outcome;
}

std::vector<std::uint32_t> Reuse::followers_of(std::uint32_t leader) const {
    std::vector<std::uint32_t> found;
    const std::uint32_t pipeline = pipeline_of(leader);
    for (std::uint32_t part = leader + 1; part < first_part_[pipeline + 1]; ++part) {
        if (courses_[part].kind == Course::follows && courses_[part].leader == leader) { found.push_back(part); }
    }
    return found;
}

void Reuse::stop_recording(std::uint32_t leader, bool whole, std::vector<Start>& starts) {
    const auto found = std::ranges::find(recordings_, leader, &Recording::part);
    const Recording recording = std::move(*found);
    recordings_.erase(found);
    Course& course = courses_[leader];
    const std::uint32_t kind = at(leader).kind;
    bool drawn = false;
    Outcome outcome = outcome_of(recording, drawn);
    course.kind = Course::simulated;
    recorded_[kind] = none;
    hold(leader, none);
    const std::vector<std::uint32_t> following = followers_of(leader);
    course.followers = 0;
    if (whole && !(drawn && shared_.control != CongestionControl::none)) {
        outcomes_[kind] = std::move(outcome);
        for (const std::uint32_t part : following) {
            courses_[part].kind = Course::skipped;
            courses_[part].over = courses_[part].told = true;
        }
        return;
    }
    // Each is simulated after all; as long as nothing comes in their way, the first of them leads the others.
    for (const std::uint32_t part : following) {
        if (recorded_[kind] != none) {
            courses_[part].leader = recorded_[kind];
            ++courses_[recorded_[kind]].followers;
            starts.back().streams_again += course.streams_ended;
            starts.back().releases_again += course.releases_ended;
            continue;
        }
        hold(part, none);
        simulate(part, starts, course.streams_ended, course.releases_ended);
        if (!course.over) { record(part); }
    }
}

// Packets of all its streams, each of which arrived once.
DomainCounts Reuse::counts_of(std::uint32_t part) const {
    const Traffic& traffic = shared_.traffic;
    const Shape& shape = traffic.shape(pipeline_of(part));
    DomainCounts counts;
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
    return counts;
}

// Counts a part that was not simulated.
void Reuse::take_over(std::uint32_t part, const Outcome& outcome) {
    const Part& mine = at(part);
    const Ps entered = courses_[part].entered;
    for (std::size_t i = 0; i < mine.ports.size(); ++i) {
        const std::uint32_t p = mine.ports[i];
        const Trace& trace = outcome.traces[i];
        Port& port = net_.ports[p];
        PortCounts& counts = net_.counts[p];
        Ingress& in = net_.ingress[p];
        port.sent_bytes += trace.sent_bytes;
        counts.marks += trace.marks;
        counts.starved += trace.starved;
        counts.paused += trace.paused;
        counts.most_queued = std::max(counts.most_queued, trace.most_queued);
        in.headroom_most = std::max(in.headroom_most, trace.headroom_most);
        in.pauses += trace.pauses;
        in.refreshes += trace.refreshes;
        port.free = std::max(port.free, entered + trace.free);
        in.last_credit = std::max(in.last_credit, entered + trace.last_credit);
    }
    for (std::size_t i = 0; i < mine.buffers.size(); ++i) {
        Node& node = net_.nodes[mine.buffers[i]];
        node.used_most = std::max(node.used_most, outcome.used_most[i]);
    }
    shared_.sending += outcome.sending;
    shared_.skipped.injected += outcome.counts.injected;
    shared_.skipped.delivered += outcome.counts.delivered;
    shared_.skipped.hops += outcome.counts.hops;
    shared_.skipped.delivered_bytes += outcome.counts.delivered_bytes;
    courses_[part].kind = Course::simulated;
    hold(part, none);
}

void Reuse::hold(std::uint32_t part, std::uint32_t holder) {
    for (const std::uint32_t r : at(part).resources) { holder_[r] = holder; }
}

void Reuse::finish() {
    bool drawn = false;
    for (const Recording& recording : recordings_) {
        const Outcome outcome = outcome_of(recording, drawn);
        for (const std::uint32_t part : followers_of(recording.part)) { take_over(part, outcome); }
    }
    for (std::uint32_t part = 0; part < courses_.size(); ++part) {
        if (courses_[part].kind == Course::skipped) { take_over(part, *outcomes_[at(part).kind]); }
    }
}

}  // namespace fabricast::inline packet
