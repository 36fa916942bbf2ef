#include "sim/engines/packet/reuse.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace fabricast::inline packet {

Reuse::Reuse(Shared& shared, const ReplayTask& task) : shared_(shared) {
    const Traffic& traffic = shared.traffic;
    const Packet& options = shared.options;
    bool lanes = false;
    for (std::uint32_t p = 0; p < net_.port_count; ++p) { lanes |= net_.ports[p].lanes > 1; }
    // Paths drawn by a flow's number, timers, turns of lanes, rates by round trips and windows are never the same
    // again.
    on_ = options.reuse && options.routing == PacketRouting::ecmp && !options.series && !shared.lossy && !lanes &&
          !traffic.all_begun && traffic.connections.empty() && !shared.timed;
    if (!on_) { return; }
    parts_ = find_parts(traffic, shared.apart_by_buffers);
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
    for (std::uint32_t part = 0; part < courses_.size(); ++part) { meet_ |= may_meet(part); }
    users_.assign(resources, 0);
    holder_.assign(resources, none);
}

bool Reuse::rests(std::uint32_t p, Ps now) const {
    const Port& port = net_.ports[p];
    const Ingress& in = net_.ingress[p];
    return port.queue.empty() && port.wire.empty() && !shared_.has_traffic(port) && port.free <= now && !port.paused &&
           !port.down && in.bytes == 0 && in.over == 0 && !in.paused && !in.will_refresh && in.last_credit <= now;
}

// Whether links and services are as they were at the beginning of the replay.
bool Reuse::at_rest(const Part& of, Ps now) const {
    return std::ranges::all_of(of.ports, [&](std::uint32_t p) { return rests(p, now); }) &&
           std::ranges::all_of(of.services, [&](std::uint32_t s) { return net_.services[s].free <= now; });
}

bool Reuse::alone(const Part& part, Ps now) const {
    return std::ranges::all_of(part.resources, [&](std::uint32_t r) { return users_[r] == 0; }) && at_rest(part, now);
}

bool Reuse::fits_beside(std::span<const std::uint32_t> buffers, std::span<const Held> held) const {
    for (std::size_t i = 0; i < buffers.size() && !shared_.apart_by_buffers; ++i) {
        const Node& node = net_.nodes[buffers[i]];
        if (node.paused_ingresses > 0 || !fits_reserved(shared_.options, node, held[i].one, held[i].together)) {
            return false;
        }
    }
    return true;
}

void Reuse::reserve(std::span<const std::uint32_t> buffers, std::span<const Held> held, bool room) {
    for (std::size_t i = 0; i < buffers.size() && !shared_.apart_by_buffers; ++i) {
        Node& node = net_.nodes[buffers[i]];
        node.reserved += room ? held[i].together : -held[i].together;
        node.reserved_most = node.reserved == 0 ? 0 : std::max(node.reserved_most, held[i].one);
    }
}

Reuse::Entry Reuse::enter(std::uint32_t pipeline, Ps now) {
    Entry entry;
    const std::uint32_t first = first_part_[pipeline], end = first_part_[pipeline + 1];
    for (std::uint32_t part = first; part < end; ++part) { courses_[part].entered = now; }
    encounter(pipeline, now, entry);
    for (std::uint32_t part = first; part < end; ++part) {
        if (courses_[part].kind != Course::outside) { continue; }
        for (const std::uint32_t r : at(part).resources) {
            const std::uint32_t other = holder_[r];
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

// The parts of the pipeline that meet parts that are skipped, each with those that it meets directly or by others.
std::vector<std::vector<std::uint32_t>> Reuse::meetings(std::uint32_t pipeline) const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> met;  // by the part that is skipped: parts of the pipeline
    std::map<std::uint32_t, std::vector<std::uint32_t>> meets;
    for (std::uint32_t part = first_part_[pipeline]; part < first_part_[pipeline + 1]; ++part) {
        std::set<std::uint32_t> others;
        if (courses_[part].kind != Course::outside) { continue; }
        for (const std::uint32_t r : at(part).resources) {
            if (holder_[r] != none) { others.insert(holder_[r]); }
        }
        for (const std::uint32_t other : others) {
            met[other].push_back(part);
            meets[part].push_back(other);
        }
    }
    std::vector<std::vector<std::uint32_t>> groups;
    while (!met.empty()) {
        std::vector<std::uint32_t> members, left{met.begin()->first};
        while (!left.empty()) {
            const std::uint32_t part = left.back();
            left.pop_back();
            members.push_back(part);
            for (auto* others : {&met, &meets}) {
                if (const auto found = others->find(part); found != others->end()) {
                    left.insert(left.end(), found->second.begin(), found->second.end());
                    others->erase(found);
                }
            }
        }
        std::ranges::sort(members);
        members.erase(std::unique(members.begin(), members.end()), members.end());
        groups.push_back(std::move(members));
    }
    return groups;
}

// Parts that were skipped, and parts that enter their links. The first such group is simulated; those like it follow.
void Reuse::meet(Members members, Ps now, bool may_lead, Alike& alike, Entry& entry) {
    std::vector<Begun> begun;
    bool equal = true;  // to every other group of its key
    for (const std::uint32_t part : members) {
        begun.push_back({&at(part), courses_[part].pipeline, courses_[part].entered});
        equal &= alone(at(part), now) && !may_differ(at(part));
    }
    const PartKey key = equal ? joint_key(net_, begun) : PartKey{};
    if (const auto leading = alike.find(key); equal && leading != alike.end()) {
        for (const std::uint32_t part : members) {
            const Course& course = courses_[part];
            if (!course.told) { continue; }
            entry.starts.push_back({part, course.pipeline, course.entered, 0, at(part).releasing, false});
        }
        follow(members, leading->second);
        return;
    }
    for (const std::uint32_t part : members) { evict(part, now, entry.starts); }
    if (equal && may_lead) {
        record({members.begin(), members.end()});
        alike[key] = members.front();
    }
}

void Reuse::enter_alone(std::uint32_t part, Ps now, Entry& entry) {
    const Part& mine = at(part);
    const bool by_itself = alone(mine, now);
    if (by_itself && outcomes_[mine.kind] && fits_beside(mine.buffers, outcomes_[mine.kind]->held)) {
        const Outcome& outcome = *outcomes_[mine.kind];
        courses_[part].kind = Course::skipped;
        reserve(mine.buffers, outcome.held, true);
        hold(part, part);
        entry.skips.push_back({part, outcome.released == never ? never : now + outcome.released, now + outcome.ended});
        return;
    }
    if (by_itself && !outcomes_[mine.kind] && may_meet(part) && skip_together({part}, entry)) { return; }
    const std::uint32_t leader = recorded_[mine.kind];
    const bool with_it = leader != none && courses_[leader].entered == now;
    if (by_itself && with_it && !may_differ(mine)) {
        follow({&part, 1}, leader);
        return;
    }
    simulate(part, entry.starts, 0, 0);
    if (by_itself && leader == none && parts_.uses[mine.kind] > 1 && !outcomes_[mine.kind]) {
        recorded_[mine.kind] = part;
        record({part});
        groups_[part].meets = may_meet(part);
    }
}

void Reuse::follow(Members members, std::uint32_t group) {
    Group& leading = groups_[group];
    for (std::size_t i = 0; i < members.size(); ++i) {
        Course& course = courses_[members[i]];
        course.kind = Course::follows;
        course.leader = leading.leaders[i];
        course.group = group;
        ++course.version;
        hold(members[i], members[i]);
    }
    leading.followers.emplace_back(members.begin(), members.end());
    elsewhere_ += is_elsewhere(members, leading) ? 1 : 0;
}

void Reuse::simulate(std::uint32_t part, std::vector<Start>& starts, std::uint32_t streams_again,
                     std::uint32_t releases_again) {
    Course& course = courses_[part];
    course.kind = Course::simulated;
    course.over = course.told = false;
    course.leader = course.group = none;
    ++course.version;
    for (const std::uint32_t r : at(part).resources) { ++users_[r]; }
    starts.push_back({part, course.pipeline, course.entered, streams_again, releases_again});
}

// A part that is skipped, or has not begun.
void Reuse::evict(std::uint32_t part, Ps now, std::vector<Start>& starts) {
    const Course& course = courses_[part];
    if (course.kind == Course::skipped) {
        reserve(at(part).buffers, outcomes_[at(part).kind]->held, false);
        for (const std::uint32_t n : at(part).buffers) { net_.nodes[n].known_until = now; }
    }
    hold(part, none);
    simulate(part, starts, course.over ? at(part).crossing : 0, course.told ? at(part).releasing : 0);
}

void Reuse::evict_followers(Members members, std::vector<Start>& starts) {
    for (const std::uint32_t part : members) {
        const Course& leader = courses_[courses_[part].leader];
        hold(part, none);
        simulate(part, starts, leader.streams_ended, leader.releases_ended);
    }
}

// Something enters the links of a part that is recorded or not simulated.
void Reuse::make_way(std::uint32_t part, Ps now, std::vector<Start>& starts) {
    const Course& course = courses_[part];
    if (course.kind == Course::recorded || (course.kind == Course::follows && over(groups_[course.group]))) {
        stop_recording(course.group, now, starts);
    } else if (course.kind == Course::follows) {
        Group& group = groups_[course.group];
        const auto mine = std::ranges::find_if(
            group.followers, [&](const auto& members) { return std::ranges::binary_search(members, part); });
        const std::vector<std::uint32_t> members = std::move(*mine);
        group.followers.erase(mine);
        elsewhere_ -= is_elsewhere(members, group) ? 1 : 0;
        evict_followers(members, starts);
    } else if (course.group != none) {
        const std::uint32_t number = course.group;
        if (!take_over_encounter(number, now)) { evict_encounter(number, now, starts); }
    } else if (const Outcome& outcome = *outcomes_[at(part).kind];
               course.over && course.entered + outcome.settled <= now) {
        take_over({&part, 1}, outcome);
    } else {
        evict(part, now, starts);
    }
}

void Reuse::count_ended(std::uint32_t part, std::uint32_t stream, Ps now) {
    Course& course = courses_[part];
    ++course.streams_ended;
    if (shared_.traffic.streams[stream].releases && ++course.releases_ended == at(part).releasing) {
        course.released = now;
    }
    if (course.streams_ended < at(part).crossing) { return; }
    course.ended = now;
    course.over = true;
    for (const std::uint32_t r : at(part).resources) { --users_[r]; }
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
        const Course& course = courses_[part];
        const bool in_group = course.kind == Course::recorded || course.kind == Course::follows;
        if (in_group && over(groups_[course.group])) { stop_recording(course.group, now, starts); }
        if (course.kind != Course::skipped || !course.over) { continue; }
        if (course.group != none) {
            take_over_encounter(course.group, now);
            continue;
        }
        const Outcome& outcome = *outcomes_[at(part).kind];
        if (course.entered + outcome.settled <= now) { take_over({&part, 1}, outcome); }
    }
    return starts;
}

}  // namespace fabricast::inline packet
