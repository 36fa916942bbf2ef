#include "sim/engines/packet/encounters.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace fabricast::inline packet {

Encounters::Encounters(const Network& net, Courses& courses, Recording& recording)
    : net_(net), courses_(courses), recording_(recording) {
    for (std::uint32_t part = 0; part < courses.size(); ++part) {
        on_ |= !courses.at(part).buffers.empty() && !courses.is_controlled(part);
    }
}

// The encounter that is recorded or skipped on a link, if it has not ended; a part that is skipped is one by itself.
std::uint32_t Encounters::at(std::uint32_t resource) const {
    const std::uint32_t part = courses_.holder(resource);
    if (part == none) { return none; }
    const Course& course = courses_[part];
    if (course.kind == Course::recorded) {
        const Group& group = recording_.group(course.group);
        return group.meets && group.followers.empty() && !courses_.all_over(group.leaders) ? course.group : none;
    }
    if (course.kind != Course::skipped) { return none; }
    if (course.group != none) { return courses_.all_over(skipped_.at(course.group).parts) ? none : course.group; }
    return takes(part) && !course.over ? part : none;
}

// Whether it meets nothing but encounters.
bool Encounters::may_join(std::uint32_t part, Ps now) const {
    return takes(part) && std::ranges::all_of(courses_.at(part).resources, [&](std::uint32_t r) {
               return courses_.holder(r) != none ? at(r) != none : courses_.idle(r, now);
           });
}

void Encounters::enter(std::uint32_t pipeline, Ps now, Entry& entry) {
    if (!on_) { return; }
    Meets meets;
    std::set<std::uint32_t> others;  // encounters that are met by something that cannot join
    for (std::uint32_t part = courses_.begin(pipeline); part < courses_.end(pipeline); ++part) {
        std::set<std::uint32_t> met;
        for (const std::uint32_t r : courses_.at(part).resources) {
            if (const std::uint32_t number = at(r); number != none) { met.insert(number); }
        }
        if (!met.empty() && !may_join(part, now)) { others.insert(met.begin(), met.end()); }
        if (!met.empty()) { meets[part] = std::move(met); }
    }
    for (const std::vector<std::uint32_t>& met : connected(meets)) {
        if (std::ranges::any_of(met, [&](std::uint32_t part) { return others.contains(part); })) { continue; }
        const auto outside = [&](std::uint32_t part) { return courses_[part].kind == Course::outside; };
        std::vector<std::uint32_t> numbers, entering;
        std::ranges::partition_copy(met, std::back_inserter(entering), std::back_inserter(numbers), outside);
        go_on(numbers, entering, now, entry);
    }
}

void Encounters::go_on(Members numbers, Members entering, Ps now, Entry& entry) {
    const auto recorded = [&](std::uint32_t number) { return courses_[number].kind == Course::recorded; };
    std::vector<std::uint32_t> members(entering.begin(), entering.end());
    for (const std::uint32_t number : numbers) {
        if (recorded(number) && recording_.differs(recording_.group(number))) { return; }
        const Members met = members_of(number);
        members.insert(members.end(), met.begin(), met.end());
    }
    std::ranges::sort(members, {}, [&](std::uint32_t part) { return std::pair(courses_[part].entered, part); });
    if (std::ranges::none_of(numbers, recorded) && skip_together(numbers, members, entry)) { return; }
    Traces before;
    for (const std::uint32_t number : numbers) {
        if (recorded(number)) {
            before.merge(end_record(number, now));
        } else if (courses_[number].group == none) {
            recording_.evict(number, now, entry.starts);
        } else {
            evict(number, now, entry.starts);
        }
    }
    for (const std::uint32_t part : entering) { courses_.simulate(part, entry.starts, 0, 0); }
    recording_.record(std::move(members), true, std::move(before));
}

// The parts of an encounter, or the only one.
Members Encounters::members_of(const std::uint32_t& number) const {
    const Course& course = courses_[number];
    if (course.kind == Course::recorded) { return recording_.group(number).leaders; }
    return course.group == none ? Members{&number, 1} : skipped_.at(number).parts;
}

PartKey Encounters::key_of(Members members) const {
    std::vector<Begun> begun;
    const Ps start = courses_[members.front()].entered;
    std::set<std::uint32_t> pipelines;  // of what is sent at one moment, that of the first pipeline goes first
    for (const std::uint32_t part : members) { pipelines.insert(courses_[part].pipeline); }
    for (const std::uint32_t part : members) {
        const auto rank = std::distance(pipelines.begin(), pipelines.find(courses_[part].pipeline));
        begun.push_back({&courses_.at(part), static_cast<std::uint32_t>(rank), courses_[part].entered - start});
    }
    return joint_key(net_, begun);
}

// Skips them if it is known what happens: encounters that are skipped already, and parts that join them.
bool Encounters::skip_together(Members numbers, std::vector<std::uint32_t> members, Entry& entry) {
    const auto found = known_.find(key_of(members));
    if (found == known_.end()) { return false; }
    const Known& known = found->second;
    for (const std::uint32_t number : numbers) { reserve(number, false); }
    const std::vector<std::uint32_t> buffers = courses_.links_of(members).buffers;
    if (!courses_.fits_beside(buffers, known.outcome.held)) {
        for (const std::uint32_t number : numbers) { reserve(number, true); }
        return false;
    }
    courses_.reserve(buffers, known.outcome.held, true);
    for (const std::uint32_t number : numbers) { skipped_.erase(number); }
    const std::uint32_t first = members.front();
    const Ps start = courses_[first].entered;
    for (std::size_t i = 0; i < members.size(); ++i) {
        Course& course = courses_[members[i]];
        course.kind = Course::skipped;
        course.group = first;
        ++course.version;
        courses_.hold(members[i], members[i]);
        const auto at = [&](Ps since) { return since == never ? never : start + since; };
        const auto [released, ended] = known.ends[i];
        entry.skips.push_back({members[i], course.told ? never : at(released), course.over ? never : at(ended)});
    }
    if (known.until != never) { entry.checks.push_back({first, start + known.until}); }
    skipped_[first] = {std::move(members), known.outcome.held};
    return true;
}

// What is set aside for an encounter that is skipped, or for a part by itself.
void Encounters::reserve(std::uint32_t number, bool room) {
    if (courses_[number].group == none) {
        recording_.reserve(number, room);
    } else {
        const Encounter& encounter = skipped_.at(number);
        courses_.reserve(courses_.links_of(encounter.parts).buffers, encounter.held, room);
    }
}

// What is recorded goes on with more parts, in another group; what happened until now is known.
Traces Encounters::end_record(std::uint32_t number, Ps now) {
    Group group = recording_.end(number);
    Outcome outcome;
    outcome.held = recording_.held_of(courses_.links_of(group.leaders));
    learn(group, now - courses_[number].entered, std::move(outcome));
    return group.before;
}

void Encounters::learn(const Group& group, Ps until, Outcome outcome) {
    Known& known = known_[key_of(group.leaders)];
    if (!known.ends.empty() && known.until >= until) { return; }
    const Ps start = courses_[group.leaders.front()].entered;
    known = {until, {}, std::move(outcome)};
    for (const std::uint32_t part : group.leaders) {
        const Course& course = courses_[part];
        const bool released = course.releases_ended == courses_.at(part).releasing && course.released != never;
        known.ends.emplace_back(released ? course.released - start : never, course.over ? course.ended - start : never);
    }
}

void Encounters::evict(std::uint32_t number, Ps now, std::vector<Entry::Start>& starts) {
    const Encounter encounter = std::move(skipped_.extract(number).mapped());
    courses_.give_up(courses_.links_of(encounter.parts).buffers, encounter.held, now);
    for (const std::uint32_t part : encounter.parts) { courses_.simulate_after_all(part, starts); }
}

void Encounters::unknown_from(std::uint32_t number, Ps now, std::vector<Entry::Start>& starts) {
    std::vector<std::uint32_t> members = skipped_.at(number).parts;
    evict(number, now, starts);
    recording_.record(std::move(members), true);
}

bool Encounters::take_over(std::uint32_t number, Ps now) {
    const std::vector<std::uint32_t>& members = skipped_.at(number).parts;
    const Known& known = known_.at(key_of(members));
    if (!courses_.all_over(members) || known.until != never || courses_[number].entered + known.outcome.settled > now) {
        return false;
    }
    const Encounter taken = std::move(skipped_.extract(number).mapped());
    courses_.reserve(courses_.links_of(taken.parts).buffers, taken.held, false);
    recording_.take_over(taken.parts, known.outcome);
    return true;
}

}  // namespace fabricast::inline packet
