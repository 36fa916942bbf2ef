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
          !traffic.all_begun && traffic.connections.empty() && shared.control != CongestionControl::timely &&
          std::ranges::any_of(traffic.shapes, [](const Shape& shape) { return shape.uses > 1; });
    if (!on_) { return; }
    for (const Shape& shape : traffic.shapes) { footprints_.push_back(footprint_of(shape)); }
    outcomes_.resize(traffic.shapes.size());
    courses_.resize(task.schedule.pipelines.size());
    const std::size_t resources = net_.port_count + net_.nodes.size() + net_.services.size();
    users_.assign(resources, 0);
    holder_.assign(resources, none);
}

// With PFC, what waits in a node's buffer holds up all that it receives, and its pause frames take time on the way
// back.
Reuse::Footprint Reuse::footprint_of(const Shape& shape) const {
    const Traffic& traffic = shared_.traffic;
    const auto first_service = static_cast<std::uint32_t>(net_.port_count + net_.nodes.size());
    std::vector<bool> seen(first_service + net_.services.size(), false);
    for (std::uint32_t i = 0; i < shape.count; ++i) {
        const Route& route = traffic.route_patterns[traffic.flow_pattern(shape, i)];
        for (std::uint32_t variant = 0; variant < route.variants; ++variant) {
            for (std::uint32_t hop = 0; hop < route.hops; ++hop) {
                const std::uint32_t p = net_.port_of(route, variant, hop);
                seen[p] = true;
                for (const std::uint32_t service : net_.services_at(route, variant, hop)) {
                    seen[first_service + service] = true;
                }
                if (net_.ports[p].control != Control::pfc || net_.ingress[p].unbounded) { continue; }
                seen[net_.port_count + net_.ports[p].to_node] = true;
                if (net_.ports[p].reverse != none) { seen[net_.ports[p].reverse] = true; }
            }
        }
    }
    Footprint footprint;
    for (std::uint32_t r = 0; r < seen.size(); ++r) {
        if (!seen[r]) { continue; }
        footprint.all.push_back(r);
        if (r < net_.port_count) {
            footprint.ports.push_back(r);
        } else if (r < first_service) {
            footprint.buffers.push_back(r - net_.port_count);
        } else {
            footprint.services.push_back(r - first_service);
        }
    }
    return footprint;
}

// Whether links, buffers and services are as they were at the beginning of the replay.
bool Reuse::at_rest(const Footprint& of, Ps now) const {
    const auto rests = [&](std::uint32_t p) {
        const Port& port = net_.ports[p];
        const Ingress& in = net_.ingress[p];
        return port.queue.empty() && port.wire.empty() && !shared_.has_traffic(port) && port.free <= now &&
               !port.paused && !port.down && in.bytes == 0 && in.over == 0 && !in.paused && in.last_credit <= now;
    };
    return std::ranges::all_of(of.ports, rests) &&
           std::ranges::all_of(of.buffers, [&](std::uint32_t n) { return net_.nodes[n].used == 0; }) &&
           std::ranges::all_of(of.services, [&](std::uint32_t s) { return net_.services[s].free <= now; });
}

std::int64_t Reuse::pauses(const Footprint& of) const {
    std::int64_t sum = 0;
    for (const std::uint32_t p : of.ports) { sum += net_.ingress[p].pauses; }
    return sum;
}

Reuse::Entry Reuse::enter(std::uint32_t pipeline, Ps now) {
    Entry entry;
    const Footprint& mine = footprint(pipeline);
    for (const std::uint32_t r : mine.all) {
        const std::uint32_t other = holder_[r];
        if (other == none) { continue; }
        if (at(other).kind == Course::recorded) {
            settled(other, at(other).over ? now : -1);
        } else if (at(other).over && at(other).entered + outcomes_[shared_.traffic.shape_of[other]]->settled <= now) {
            take_over(other);
        } else {
            let_go(other);
            at(other).kind = Course::simulated;
            for (const std::uint32_t its : footprint(other).all) { ++users_[its]; }
            entry.in_the_way.push_back(other);
        }
    }
    const bool alone =
        std::ranges::all_of(mine.all, [&](std::uint32_t r) { return users_[r] == 0; }) && at_rest(mine, now);
    const std::uint32_t shape = shared_.traffic.shape_of[pipeline];
    at(pipeline) = {Course::simulated, false, now, never, 0};
    if (alone && outcomes_[shape]) {
        const Outcome& outcome = *outcomes_[shape];
        at(pipeline).kind = Course::skipped;
        for (const std::uint32_t r : mine.all) { holder_[r] = pipeline; }
        entry.skipped = true;
        entry.released = outcome.released == never ? never : now + outcome.released;
        entry.ended = now + outcome.ended;
        return entry;
    }
    for (const std::uint32_t r : mine.all) { ++users_[r]; }
    if (alone && shared_.traffic.shapes[shape].uses > 1) { record(pipeline); }
    return entry;
}

bool Reuse::ended(std::uint32_t pipeline, Ps now) {
    Course& course = at(pipeline);
    course.ended = now;
    course.over = true;
    if (course.kind == Course::skipped) { return false; }
    for (const std::uint32_t r : footprint(pipeline).all) { --users_[r]; }
    return true;
}

void Reuse::settled(std::uint32_t pipeline, Ps now) {
    if (on_ && at(pipeline).kind == Course::recorded) {
        stop_recording(pipeline, now >= 0 && at_rest(footprint(pipeline), now));
    }
}

void Reuse::record(std::uint32_t pipeline) {
    const Footprint& mine = footprint(pipeline);
    at(pipeline).kind = Course::recorded;
    Recording recording{pipeline, {}, {}, {}, pauses(mine)};
    for (const std::uint32_t r : mine.all) { holder_[r] = pipeline; }
    for (const std::uint32_t p : mine.ports) {
        PortCounts& counts = net_.counts[p];
        recording.before.push_back({net_.ports[p].sent_bytes, counts.most_queued, counts.marks, counts.starved, 0, 0});
        recording.draws.push_back(counts.draws);
        counts.most_queued = 0;
    }
    for (const std::uint32_t n : mine.buffers) {
        recording.used_before.push_back(std::exchange(net_.nodes[n].used_most, 0));
    }
    recordings_.push_back(std::move(recording));
}

void Reuse::stop_recording(std::uint32_t pipeline, bool whole) {
    const auto found = std::ranges::find(recordings_, pipeline, &Recording::pipeline);
    const Recording recording = std::move(*found);
    recordings_.erase(found);
    const Footprint& mine = footprint(pipeline);
    const std::uint32_t shape = shared_.traffic.shape_of[pipeline];
    Course& course = at(pipeline);
    course.kind = Course::simulated;
    let_go(pipeline);
    Outcome outcome;
    outcome.released = course.released == never ? never : course.released - course.entered;
    outcome.ended = course.ended - course.entered;
    bool drawn = false;  // a mark by the time of day, which a sender heeds
    for (std::size_t i = 0; i < mine.ports.size(); ++i) {
        const std::uint32_t p = mine.ports[i];
        PortCounts& counts = net_.counts[p];
        const Trace& before = recording.before[i];
        const Trace trace{net_.ports[p].sent_bytes - before.sent_bytes,
                          counts.most_queued,
                          counts.marks - before.marks,
                          counts.starved - before.starved,
                          net_.ports[p].free - course.entered,
                          net_.ingress[p].last_credit - course.entered};
        drawn |= counts.draws != recording.draws[i];
        counts.most_queued = std::max(counts.most_queued, before.most_queued);
        outcome.settled = std::max({outcome.settled, trace.free, trace.last_credit});
        outcome.traces.push_back(trace);
    }
    for (std::size_t i = 0; i < mine.buffers.size(); ++i) {
        Node& node = net_.nodes[mine.buffers[i]];
        outcome.used_most.push_back(node.used_most);
        node.used_most = std::max(node.used_most, recording.used_before[i]);
    }
    drawn &= shared_.control != CongestionControl::none;
    if (!whole || drawn || pauses(mine) != recording.pauses) { return; }
    outcome.settled = std::max(outcome.settled, outcome.ended);
    outcome.counts = counts_of(shared_.traffic.shapes[shape]);
    const Traffic& traffic = shared_.traffic;
    for (std::uint32_t c = traffic.first_controller[pipeline]; c < traffic.first_controller[pipeline + 1]; ++c) {
        outcome.sending += shared_.throttles[c].sending();
    }
    outcomes_[shape] = std::move(outcome);
}

// Packets of all its streams, each of which arrived once.
DomainCounts Reuse::counts_of(const Shape& shape) const {
    const Traffic& traffic = shared_.traffic;
    DomainCounts counts;
    for (std::uint32_t i = 0; i < shape.count; ++i) {
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

// Counts a pipeline that was skipped to its end.
void Reuse::take_over(std::uint32_t pipeline) {
    const Outcome& outcome = *outcomes_[shared_.traffic.shape_of[pipeline]];
    const Footprint& mine = footprint(pipeline);
    const Ps entered = at(pipeline).entered;
    for (std::size_t i = 0; i < mine.ports.size(); ++i) {
        const std::uint32_t p = mine.ports[i];
        const Trace& trace = outcome.traces[i];
        Port& port = net_.ports[p];
        PortCounts& counts = net_.counts[p];
        port.sent_bytes += trace.sent_bytes;
        counts.marks += trace.marks;
        counts.starved += trace.starved;
        counts.most_queued = std::max(counts.most_queued, trace.most_queued);
        port.free = std::max(port.free, entered + trace.free);
        net_.ingress[p].last_credit = std::max(net_.ingress[p].last_credit, entered + trace.last_credit);
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
    at(pipeline).kind = Course::simulated;
    let_go(pipeline);
}

void Reuse::let_go(std::uint32_t pipeline) {
    for (const std::uint32_t r : footprint(pipeline).all) { holder_[r] = none; }
}

void Reuse::finish() {
    for (std::uint32_t p = 0; p < courses_.size(); ++p) {
        if (at(p).kind == Course::skipped) { take_over(p); }
        if (at(p).kind == Course::recorded) { stop_recording(p, false); }
    }
}

}  // namespace fabricast::inline packet
