#include "sim/engines/packet/lookahead.hpp"

#include <algorithm>

namespace fabricast::inline packet {

Lookahead::Lookahead(const Traffic& traffic, const Schedule& schedule, bool lossy)
    : traffic_(traffic),
      schedule_(schedule),
      lossy_(lossy),
      messages_(schedule.transfers.size(), false),
      streams_(traffic.first_stream.back(), false),
      awaited_(schedule.size(), false),
      pipelines_(schedule.pipelines.size()) {
    for (std::uint32_t op = 0; op < schedule.size(); ++op) {
        for (std::size_t i = 0; i < schedule.dependency_count(OpId{op}); ++i) {
            awaited_[index(schedule.dependency(OpId{op}, i).op)] = true;
        }
    }
    for (std::size_t p = 0; p < schedule.pipelines.size(); ++p) {  // kernels wait for its share of the device
        if (schedule.pipelines[p].occupancy_count > 0 && !schedule.computes.empty()) {
            awaited_[index(traffic.op_of_pipeline[p])] = true;
        }
    }
}

Ps Lookahead::watch(const ControlMessage& mail) {
    return mail.kind == ControlMessage::message ? watch_message(mail) : watch_pipeline(mail);
}

Ps Lookahead::watch_message(const ControlMessage& mail) {
    const Ps bound = on_clock(bound_of(Done::message, mail.target, mail.time));
    if (!awaited_[index(traffic_.op_of_transfer[mail.target])]) { return never; }
    messages_[mail.target] = true;
    bounds_.push({bound, Done::message, mail.target});
    return bound;
}

Ps Lookahead::watch_pipeline(const ControlMessage& mail) {
    const std::uint32_t s = mail.target;
    const std::uint32_t p = traffic_.streams[s].pipeline;
    const bool releases = traffic_.streams[s].releases;
    if (!awaited_[index(traffic_.op_of_pipeline[p])]) { return never; }
    Watched& watched = pipelines_[p];
    streams_[s] = true;
    watched.any = std::min(watched.any, s);
    watched.releasing = std::min(watched.releasing, s);
    if (watched.any_bound && (watched.releasing_bound || !releases)) { return never; }
    watched.any_bound = true;
    watched.releasing_bound |= releases;
    const Ps bound = on_clock(bound_of(Done::stream, s, mail.time));
    bounds_.push({bound, Done::stream, s});
    return bound;
}

std::uint32_t Lookahead::not_ended(std::uint32_t pipeline) {
    Watched& watched = pipelines_[pipeline];
    const std::uint32_t end = traffic_.first_stream[pipeline + 1];
    while (watched.releasing < end && !(streams_[watched.releasing] && traffic_.streams[watched.releasing].releases)) {
        ++watched.releasing;
    }
    if (watched.releasing < end) { return watched.releasing; }
    while (watched.any < end && !streams_[watched.any]) { ++watched.any; }
    return watched.any < end ? watched.any : none;
}

void Lookahead::share(Owns owns, Least least) {
    owns_ = std::move(owns);
    least_ = std::move(least);
}

// All processes have the same bounds, so they look at the same ones.
void Lookahead::learn(Ps now, Ps wanted) {
    learned_.clear();
    collect(0, wanted, learned_);
    if (learned_.empty()) { return; }
    std::ranges::sort(learned_);
    learned_.erase(std::unique(learned_.begin(), learned_.end()), learned_.end());
    std::vector<Ps> mine;
    for (const auto& [kind, index] : learned_) {
        const std::uint32_t flow =
            kind == Done::message ? schedule_.transfers[index].connection : traffic_.streams[index].flow;
        mine.push_back(owns_(traffic_.flows[flow].node) ? bound_of(kind, index, now) : never);
    }
    learned_bounds_ = least_(std::move(mine));
}

// Those before `wanted`: in a heap, each is later than the one above it.
void Lookahead::collect(std::size_t place, Ps wanted, std::vector<Key>& keys) {
    if (place >= bounds_.all().size() || bounds_.all()[place].time >= wanted) { return; }
    const Done& bound = bounds_.all()[place];
    const bool stream = bound.kind == Done::stream;
    const std::uint32_t index = stream ? not_ended(traffic_.pipeline_of(bound.index)) : bound.index;
    if (index != none && (stream || messages_[index])) { keys.emplace_back(bound.kind, index); }
    collect(2 * place + 1, wanted, keys);
    collect(2 * place + 2, wanted, keys);
}

Ps Lookahead::fresh(Done::Kind kind, std::uint32_t index, Ps now) const {
    if (!least_) { return bound_of(kind, index, now); }
    const auto place = std::ranges::lower_bound(learned_, Key(kind, index));
    return learned_bounds_[static_cast<std::size_t>(place - learned_.begin())];
}

Ps Lookahead::limit(Ps now, Ps wanted) {
    if (least_) { learn(now, wanted); }
    while (!bounds_.empty() && bounds_.top().time < wanted) {
        Done first = bounds_.top();
        bounds_.pop();
        if (first.kind == Done::stream) {
            const std::uint32_t pipeline = traffic_.pipeline_of(first.index);
            first.index = not_ended(pipeline);
            if (first.index == none) { pipelines_[pipeline] = {}; }
        }
        if (first.index == none || (first.kind == Done::message && !messages_[first.index])) { continue; }
        const Ps known = first.time;
        first.time = std::max(known, fresh(first.kind, first.index, now));
        bounds_.push(first);
        if (first.time == known || first.time <= now + floor_) { return first.time; }  // no other bound is earlier
    }
    return wanted;
}

Ps Lookahead::bound_of(Done::Kind kind, std::uint32_t index, Ps now) const {
    if (!traffic_.network.detours.empty()) { return now + floor_; }  // a detour may be shorter
    return kind == Done::message ? message_bound(index, now) : stream_bound(index, now);
}

Ps Lookahead::message_bound(std::uint32_t transfer, Ps now) const {
    const std::uint32_t f = schedule_.transfers[transfer].connection;
    const Messages& messages = traffic_.connections[f];
    const bool begun = messages.next > messages.begin && traffic_.message_ops[messages.next - 1] >= transfer;
    if (!begun) { return sending(f, traffic_.message_bytes[transfer], now); }
    const Flow& flow = traffic_.flows[f];
    const bool being_sent = flow.open && traffic_.message_ops[messages.next - 1] == transfer;
    return being_sent && !lossy_ ? sending(f, flow.left, now) : on_last_link(f, now);
}

Ps Lookahead::stream_bound(std::uint32_t s, Ps now) const {
    const Stream& stream = traffic_.streams[s];
    const Flow& flow = traffic_.flows[stream.flow];
    const std::uint32_t last = std::min<std::uint32_t>(stream.pieces - stream.next, stream.slices);
    const std::int64_t left = (flow.open ? flow.left : 0) + std::int64_t{last} * stream.last_bytes +
                              std::int64_t{stream.pieces - stream.next - last} * stream.piece_bytes;
    const bool all_sent = stream.next == stream.pieces && !flow.open;
    return all_sent || (lossy_ && stream.next > 0) ? on_last_link(stream.flow, now) : sending(stream.flow, left, now);
}

// The last packet begins when those before it have left the first port; after that it needs the latency of each link.
Ps Lookahead::sending(std::uint32_t f, std::int64_t bytes, Ps now) const {
    const Network& net = traffic_.network;
    const Route& route = traffic_.routes[f];
    Ps latency = never;
    double inverse = never;
    for (std::uint32_t variant = 0; variant < route.variants; ++variant) {
        latency = std::min(latency, net.latency_of(route, variant));
        inverse = std::min(inverse, net.capacity_inverse[net.port_of(route, variant, 0)]);
    }
    const auto before = static_cast<double>(std::max<std::int64_t>(0, bytes - traffic_.flows[f].unit));
    const double least = before * inverse * (1 - 1e-6) / (1 << 24);
    return now + latency + static_cast<Ps>(std::min(least, static_cast<double>(never)));
}

Ps Lookahead::on_last_link(std::uint32_t f, Ps now) const {
    const Network& net = traffic_.network;
    const Route& route = traffic_.routes[f];
    Ps latency = never;
    for (std::uint32_t variant = 0; variant < route.variants; ++variant) {
        latency = std::min(latency, net.ports[net.port_of(route, variant, route.hops - 1U)].latency);
    }
    return now + latency;
}

}  // namespace fabricast::inline packet
