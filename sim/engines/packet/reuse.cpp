#include "sim/engines/packet/reuse.hpp"

#include <utility>

namespace fabricast::inline packet {

bool may_repeat(const Shared& shared) {
    const Traffic& traffic = shared.traffic;
    bool lanes = false;
    for (std::uint32_t p = 0; p < shared.net.port_count; ++p) { lanes |= shared.net.ports[p].lanes > 1; }
    return shared.options.routing == PacketRouting::ecmp && !shared.options.series && !shared.lossy && !lanes &&
           !traffic.all_begun && traffic.connections.empty() && !shared.timed;
}

namespace {

// None if no part may be skipped.
Parts reusable_parts(const Shared& shared) {
    if (!shared.options.reuse || !may_repeat(shared)) { return {}; }
    Parts parts = find_parts(shared.traffic, shared.apart_by_buffers);
    const bool again = std::ranges::any_of(parts.uses, [](std::uint64_t uses) { return uses > 1; });
    return again || std::ranges::any_of(shared.traffic.stream_patterns, is_long) ? std::move(parts) : Parts{};
}

}  // namespace

Reuse::Reuse(Shared& shared) : shared_(shared), courses_(shared, reusable_parts(shared)) {}

Entry Reuse::enter(std::uint32_t pipeline, Ps now) {
    Entry entry;
    const std::uint32_t first = courses_.begin(pipeline), end = courses_.end(pipeline);
    for (std::uint32_t part = first; part < end; ++part) { courses_[part].entered = now; }
    for (std::uint32_t part = first; part < end && steady_.skips(); ++part) { wake(part, now, entry); }
    encounters_.enter(pipeline, now, entry);
    for (std::uint32_t part = first; part < end; ++part) {
        if (courses_[part].kind != Course::outside) { continue; }
        for (const std::uint32_t r : at(part).resources) {
            const std::uint32_t other = courses_.holder(r);
            const bool meets = other != none && courses_[other].kind == Course::skipped && !courses_[other].over &&
                               courses_[other].group == none;
            if (other != none && !meets) { make_way(other, now, entry.starts); }
        }
    }
    const std::vector<std::vector<std::uint32_t>> met = meetings(pipeline);
    Alike alike;
    for (const std::vector<std::uint32_t>& members : met) { meet(members, now, met.size() > 1, alike, entry); }
    for (std::uint32_t part = first; part < end; ++part) {
        if (courses_[part].kind == Course::outside && at(part).crossing > 0) { enter_alone(part, now, entry); }
    }
    return entry;
}

// What the part meets is there as if nothing of it had been skipped.
void Reuse::wake(std::uint32_t part, Ps now, Entry& entry) {
    for (const std::uint32_t r : at(part).resources) {
        const std::uint32_t other = courses_.holder(r);
        if (other != none && courses_[other].kind == Course::recorded) {
            steady_.wake(courses_[other].group, now, entry);
        }
    }
}

// The parts of the pipeline that meet parts that are skipped, each with those that it meets directly or by others.
std::vector<std::vector<std::uint32_t>> Reuse::meetings(std::uint32_t pipeline) const {
    Meets meets;
    for (std::uint32_t part = courses_.begin(pipeline); part < courses_.end(pipeline); ++part) {
        if (courses_[part].kind != Course::outside) { continue; }
        for (const std::uint32_t r : at(part).resources) {
            if (courses_.holder(r) != none) { meets[part].insert(courses_.holder(r)); }
        }
    }
    return connected(meets);
}

// Parts that were skipped, and parts that enter their links. The first such group is simulated; those like it follow.
void Reuse::meet(Members members, Ps now, bool may_lead, Alike& alike, Entry& entry) {
    std::vector<Begun> begun;
    bool equal = true;  // to every other group of its key
    for (const std::uint32_t part : members) {
        begun.push_back({&at(part), courses_[part].pipeline, courses_[part].entered});
        equal &= courses_.alone(part, now) && !may_differ(part);
    }
    const PartKey key = equal ? joint_key(shared_.net, begun) : PartKey{};
    if (const auto leading = alike.find(key); equal && leading != alike.end()) {
        for (const std::uint32_t part : members) {
            const Course& course = courses_[part];
            if (!course.told) { continue; }
            entry.starts.push_back({part, course.pipeline, course.entered, 0, at(part).releasing, false});
        }
        follow(members, leading->second);
        return;
    }
    for (const std::uint32_t part : members) { recording_.evict(part, now, entry.starts); }
    if (equal && may_lead) {
        recording_.record({members.begin(), members.end()});
        alike[key] = members.front();
    }
}

void Reuse::enter_alone(std::uint32_t part, Ps now, Entry& entry) {
    const bool by_itself = courses_.alone(part, now);
    const std::optional<Outcome>& known = recording_.outcome(part);
    const bool fits = !entry.crowded && known && courses_.fits_beside(at(part).buffers, known->held);
    if (by_itself && fits) {
        courses_[part].kind = Course::skipped;
        recording_.reserve(part, true);
        courses_.hold(part, part);
        entry.skips.push_back({part, known->released == never ? never : now + known->released, now + known->ended});
        return;
    }
    if (by_itself && !known && encounters_.takes(part) && encounters_.skip(part, entry)) { return; }
    const std::uint32_t leader = recording_.recorded(part);
    const bool with_it = leader != none && courses_[leader].entered == now;
    if (by_itself && with_it && !may_differ(part)) {
        follow({&part, 1}, leader);
        return;
    }
    if (by_itself && known && !entry.crowded) { simulate_skipped(courses_[part].pipeline, now, entry); }
    courses_.simulate(part, entry.starts, 0, 0);
    if (by_itself && leader == none && (courses_.uses(part) > 1 || steady_.is_long(part)) && !known) {
        recording_.recorded(part) = part;
        recording_.record({part}, encounters_.takes(part));
    }
}

// One part of the pipeline does not fit beside what was set aside in a buffer, mostly for others of its parts, which
// begin with it. Simulated beside them it could find the buffer full and the replay would begin again; so all are.
void Reuse::simulate_skipped(std::uint32_t pipeline, Ps now, Entry& entry) {
    entry.crowded = true;
    for (std::uint32_t part = courses_.begin(pipeline); part < courses_.end(pipeline); ++part) {
        if (courses_[part].kind != Course::skipped || courses_[part].group != none) { continue; }
        recording_.evict(part, now, entry.starts);
        std::erase_if(entry.skips, [&](const Entry::Skip& skip) { return skip.part == part; });
    }
}

void Reuse::follow(Members members, std::uint32_t group) {
    Group& leading = recording_.group(group);
    for (std::size_t i = 0; i < members.size(); ++i) {
        Course& course = courses_[members[i]];
        course.kind = Course::follows;
        course.leader = leading.leaders[i];
        course.group = group;
        ++course.version;
        courses_.hold(members[i], members[i]);
    }
    leading.followers.emplace_back(members.begin(), members.end());
    elsewhere_ += is_elsewhere(members, leading) ? 1 : 0;
}

void Reuse::evict_followers(Members members, Starts& starts) {
    for (const std::uint32_t part : members) {
        const Course& leader = courses_[courses_[part].leader];
        courses_.hold(part, none);
        courses_.simulate(part, starts, leader.streams_ended, leader.releases_ended);
    }
}

// Something enters the links of a part that is recorded or not simulated.
void Reuse::make_way(std::uint32_t part, Ps now, Starts& starts) {
    const Course& course = courses_[part];
    if (course.kind == Course::recorded ||
        (course.kind == Course::follows && courses_.all_over(recording_.group(course.group).leaders))) {
        stop_recording(course.group, now, starts);
    } else if (course.kind == Course::follows) {
        Group& group = recording_.group(course.group);
        const auto mine = std::ranges::find_if(
            group.followers, [&](const auto& members) { return std::ranges::binary_search(members, part); });
        const std::vector<std::uint32_t> members = std::move(*mine);
        group.followers.erase(mine);
        elsewhere_ -= is_elsewhere(members, group) ? 1 : 0;
        evict_followers(members, starts);
    } else if (course.group != none) {
        const std::uint32_t number = course.group;
        if (!encounters_.take_over(number, now)) { encounters_.evict(number, now, starts); }
    } else if (!recording_.take_over_settled(part, now)) {
        recording_.evict(part, now, starts);
    }
}

void Reuse::count_ended(std::uint32_t part, std::uint32_t stream, Ps now) {
    Course& course = courses_[part];
    ++course.streams_ended;
    if (shared_.traffic.streams[stream].releases && ++course.releases_ended == at(part).releasing) {
        course.released = now;
    }
    if (course.streams_ended < at(part).crossing) { return; }
    courses_.ended(part, now);
}

std::uint32_t Reuse::part_released(std::uint32_t part) {
    courses_[part].told = true;
    return at(part).releasing;
}

std::uint32_t Reuse::part_ended(std::uint32_t part) {
    courses_[part].over = true;
    return at(part).crossing;
}

std::vector<Entry::Start> Reuse::settled(std::uint32_t pipeline, Ps now) {
    Starts starts;
    for (std::uint32_t part = courses_.begin(pipeline); part < courses_.end(pipeline); ++part) {
        const Course& course = courses_[part];
        const bool in_group = course.kind == Course::recorded || course.kind == Course::follows;
        if (in_group && courses_.all_over(recording_.group(course.group).leaders)) {
            stop_recording(course.group, now, starts);
        }
        if (course.kind != Course::skipped || !course.over) { continue; }
        if (course.group != none) {
            encounters_.take_over(course.group, now);
        } else {
            recording_.take_over_settled(part, now);
        }
    }
    return starts;
}

// If it has ended and its links are at rest, it is known what the kind of a part that led by itself leaves behind.
void Reuse::stop_recording(std::uint32_t number, Ps now, Starts& starts) {
    const Group group = recording_.end(number);
    const bool ended = courses_.all_over(group.leaders);
    const bool single = group.leaders.size() == 1;
    std::uint32_t& leading = recording_.recorded(number);
    const bool same = !recording_.differs(group);
    Outcome outcome = recording_.outcome_of(group);
    for (const auto& members : group.followers) { elsewhere_ -= is_elsewhere(members, group) ? 1 : 0; }
    for (const std::uint32_t part : group.leaders) {
        courses_[part].kind = Course::simulated;
        courses_.hold(part, none);
    }
    const bool rests =
        std::ranges::all_of(group.leaders, [&](std::uint32_t part) { return courses_.at_rest(at(part), now); });
    if (ended && rests && same) {
        for (const std::vector<std::uint32_t>& members : group.followers) { recording_.take_over(members, outcome); }
        if (single) {
            recording_.outcome(number) = std::move(outcome);
        } else if (group.meets) {
            encounters_.learn(group, std::move(outcome));
        }
        return;
    }
    for (const std::vector<std::uint32_t>& members : group.followers) {
        const bool leads = single && !ended && leading == none;
        if (single && !ended && !leads) {  // it follows the one that leads now, of which nothing has ended yet
            const Course& before = courses_[number];
            starts.push_back({members.front(), pipeline_of(members.front()), before.entered, before.streams_ended,
                              before.releases_ended, false});
            follow(members, leading);
            continue;
        }
        evict_followers(members, starts);
        if (leads) {
            leading = members.front();
            recording_.record(members);
        }
    }
}

std::vector<Entry::Start> Reuse::unknown_from(std::uint32_t part, Ps now) {
    Starts starts;
    encounters_.unknown_from(part, now, starts);
    return starts;
}

void Reuse::finish() {
    encounters_.finish();
    recording_.finish();
}

}  // namespace fabricast::inline packet
