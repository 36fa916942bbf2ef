#include "sim/engines/packet/steady.hpp"

#include <bit>
#include <functional>

namespace fabricast::inline packet {

namespace {

constexpr std::uint32_t looks_in_a_series = 16;  // then none until twice as many chunks have passed

}  // namespace

bool Steady::is_long(std::uint32_t part) const {
    if (courses_.is_controlled(part)) { return false; }
    const Traffic& traffic = shared_.traffic;
    const Shape& shape = traffic.shape(courses_[part].pipeline);
    return std::ranges::any_of(courses_.at(part).streams, [&](std::uint32_t i) {
        return packet::is_long(traffic.stream_patterns[shape.first + i]);
    });
}

void Steady::follow_recordings() {
    const std::uint64_t seen = std::exchange(changes_, recording_.changes());
    if (seen != changes_) {
        std::erase_if(watched_, [&](const auto& entry) {
            const auto group = recording_.groups().find(entry.first);
            return group == recording_.groups().end() || group->second.serial != entry.second.serial;
        });
        for (const auto& [number, group] : recording_.groups()) {
            if (group.serial > seen) { watch(number, group); }
        }
    }
    for (auto at = watched_.begin(); at != watched_.end();) {  // the flows of what has ended are given back
        const auto& [number, watched] = *at++;
        const Group& group = recording_.group(number);
        if (ended(group) != watched.ended) { watch(number, group); }
    }
}

std::size_t Steady::ended(const Group& group) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(group.leaders, [&](std::uint32_t part) { return courses_[part].over; }));
}

void Steady::watch(const std::uint32_t number, const Group& group) {
    watched_.erase(number);
    const auto goes_on = [&](std::uint32_t part) { return !courses_[part].over && is_long(part); };
    const auto is_controlled = [&](std::uint32_t part) { return courses_.is_controlled(part); };
    if (std::ranges::none_of(group.leaders, goes_on) || std::ranges::any_of(group.leaders, is_controlled)) { return; }
    Ps last = -shared_.settles;
    for (const std::uint32_t part : group.leaders) {
        if (courses_[part].over) { last = std::max(last, courses_[part].ended); }
    }
    PartsState state(shared_, courses_, group.leaders);
    const std::uint32_t stream = state.longest();
    const std::uint32_t chunks = shared_.traffic.streams[stream].freed;
    watched_.emplace(number, Watched{group.serial, ended(group), last + shared_.settles, std::move(state), stream,
                                     chunks, chunks + 2});
}

void Steady::look(Ps start, Ps reached, Ps longest) {
    follow_recordings();
    next_ = never;
    for (auto& [number, watched] : watched_) {
        if (watched.due <= start) {
            const Ps at = std::exchange(watched.due, never);
            if (watched.times > 0) {  // it goes on after what was skipped
                watched.times = 0;
                watched.over = true;
                courses_.reserve(watched.buffers, watched.held, false);
            } else {
                look_at(watched, number, at);
            }
        }
        if (watched.due == never && !watched.over) { schedule(watched, reached, longest); }
        next_ = std::min(next_, watched.due);
    }
}

// The next look is after the last chunk; if it came so long ago that later things have happened, after one to come.
void Steady::schedule(Watched& watched, Ps reached, Ps longest) const {
    const Stream& stream = shared_.traffic.streams[watched.stream];
    if (std::exchange(watched.chunks, stream.freed) == stream.freed || stream.freed < watched.from) { return; }
    if (stream.freed_at + longest >= std::max(reached, watched.quiet + 1)) { watched.due = stream.freed_at + longest; }
}

void Steady::look_at(Watched& watched, std::uint32_t group, Ps at) {
    std::optional<PartsState::Seen> now = watched.state.at(at);
    if (now) {
        ++watched.looks;
        const bool alike = watched.looks > 1 && now->key == watched.kept.key;
        if (alike && skip(watched, group, *now)) { return; }
        if (alike || std::has_single_bit(watched.looks)) { watched.kept = std::move(*now); }
    }
    if (watched.looks == looks_in_a_series || !now) {
        watched.looks = 0;
        watched.from = 2 * watched.chunks;
    }
}

// False if there is nothing to skip yet, or any more.
bool Steady::skip(Watched& watched, std::uint32_t group, const PartsState::Seen& now) {
    const PartsState::Seen& before = watched.kept;
    watched.period = now.now - before.now;
    const std::int64_t times =
        std::min(watched.state.repeats(before.counters, now.counters), (clock_end - 1 - now.now) / watched.period);
    if (times < 2 || !set_aside(watched, group)) { return false; }
    watched.gains.resize(now.counters.size());
    std::ranges::transform(now.counters, before.counters, watched.gains.begin(), std::minus());
    watched.state.shift(watched.period, watched.gains, times);
    watched.times = times;
    watched.began = now.now;
    watched.due = now.now + watched.period * times;
    return true;
}

// Of buffers that others share, what the parts hold at most beyond what they hold now.
bool Steady::set_aside(Watched& watched, std::uint32_t group) {
    const Courses::Links links = courses_.links_of(recording_.group(group).leaders);
    watched.buffers = links.buffers;
    watched.held = recording_.held_of(links);
    for (std::size_t i = 0; i < watched.buffers.size(); ++i) {
        const std::int64_t now = watched.state.held(watched.buffers[i]);
        watched.held[i].most = std::max<std::int64_t>(0, watched.held[i].most - now);
        watched.held[i].beside += now;
    }
    if (!courses_.fits_beside(watched.buffers, watched.held)) { return false; }
    courses_.reserve(watched.buffers, watched.held, true);
    return true;
}

void Steady::wake(std::uint32_t group, Ps now, Entry& entry) {
    const auto found = watched_.find(group);
    if (found == watched_.end() || found->second.times == 0 || now >= found->second.due) { return; }
    Watched& watched = found->second;
    const std::int64_t happened = (now - watched.began) / watched.period;
    watched.state.shift(watched.period, watched.gains, happened - std::exchange(watched.times, 0));
    watched.over = true;
    watched.due = never;
    courses_.give_up(watched.buffers, watched.held, now);
    const Ps at = watched.began + happened * watched.period;
    watched.state.wake(at);
    entry.resumes.push_back({at, watched.state.node()});
}

}  // namespace fabricast::inline packet
