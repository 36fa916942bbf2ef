// What meets in the same way again is simulated once, too. An encounter begins with a part that has its links to
// itself; parts that come in its way join it, as the reduction of gradients and the all-to-alls beside it. What was
// seen of the first such encounter until the next part came, and in the end, is known by what has met and when. One
// that begins likewise is skipped as long as the same joins it at the same times, and simulated from its start after
// all if not. Only where switches share their buffers: elsewhere those that meet alike at once follow one
// (Reuse::meet).

#include <algorithm>
#include <set>
#include <utility>

#include "sim/engines/packet/reuse.hpp"

namespace fabricast::inline packet {

// The encounter that is recorded or skipped on a link, if it has not ended; a part that is skipped is one by itself.
std::uint32_t Reuse::encounter_at(std::uint32_t resource) const {
    const std::uint32_t part = holder_[resource];
    if (part == none) { return none; }
    const Course& course = courses_[part];
    const auto ended = [&](Members members) {
        return std::ranges::all_of(members, [&](std::uint32_t member) { return courses_[member].over; });
    };
    if (course.kind == Course::recorded) {
        const Group& group = groups_.at(course.group);
        return group.meets && group.followers.empty() && !ended(group.leaders) ? course.group : none;
    }
    if (course.kind != Course::skipped) { return none; }
    if (course.group != none) { return ended(encounters_.at(course.group).parts) ? none : course.group; }
    return may_meet(part) && !course.over ? part : none;
}

// Whether it meets nothing but the encounter.
bool Reuse::may_join(std::uint32_t part, std::uint32_t number, Ps now) const {
    if (shared_.control != CongestionControl::none && at(part).controlled) { return false; }
    return std::ranges::all_of(at(part).resources, [&](std::uint32_t r) {
        if (holder_[r] != none) { return encounter_at(r) == number; }
        const std::uint32_t first_service = net_.port_count + static_cast<std::uint32_t>(net_.nodes.size());
        const bool idle = r < net_.port_count  ? rests(r, now)
                          : r >= first_service ? net_.services[r - first_service].free <= now
                                               : true;
        return users_[r] == 0 && idle;
    });
}

// Parts of the pipeline that meet one encounter each join it.
void Reuse::encounter(std::uint32_t pipeline, Ps now, Entry& entry) {
    if (!meet_) { return; }
    std::map<std::uint32_t, std::vector<std::uint32_t>> entering;
    std::set<std::uint32_t> others;  // encounters that are met by something else as well
    for (std::uint32_t part = first_part_[pipeline]; part < first_part_[pipeline + 1]; ++part) {
        std::set<std::uint32_t> met;
        for (const std::uint32_t r : at(part).resources) {
            if (const std::uint32_t number = encounter_at(r); number != none) { met.insert(number); }
        }
        if (met.size() == 1 && may_join(part, *met.begin(), now)) {
            entering[*met.begin()].push_back(part);
        } else {
            others.insert(met.begin(), met.end());
        }
    }
    for (const auto& [number, parts] : entering) {
        if (!others.contains(number)) { go_on(number, parts, now, entry); }
    }
}

void Reuse::go_on(std::uint32_t number, Members entering, Ps now, Entry& entry) {
    if (courses_[number].kind == Course::recorded) {
        if (!differs(groups_.at(number))) { record_more(number, entering, now, entry); }
        return;
    }
    const bool alone = courses_[number].group == none;
    std::vector<std::uint32_t> members = alone ? std::vector{number} : encounters_.at(number).parts;
    members.insert(members.end(), entering.begin(), entering.end());
    if (skip_together(members, entry)) { return; }
    if (alone) {
        evict(number, now, entry.starts);
    } else {
        evict_encounter(number, now, entry.starts);
    }
    for (const std::uint32_t part : entering) { simulate(part, entry.starts, 0, 0); }
    record(std::move(members));
    groups_[number].meets = true;
}

PartKey Reuse::key_of(Members members) const {
    std::vector<Begun> begun;
    const Ps start = courses_[members.front()].entered;
    std::set<std::uint32_t> pipelines;  // of what is sent at one moment, that of the first pipeline goes first
    for (const std::uint32_t part : members) { pipelines.insert(pipeline_of(part)); }
    for (const std::uint32_t part : members) {
        const auto rank = std::distance(pipelines.begin(), pipelines.find(pipeline_of(part)));
        begun.push_back({&at(part), static_cast<std::uint32_t>(rank), courses_[part].entered - start});
    }
    return joint_key(net_, begun);
}

// Skips them, of which all but the last to enter may be skipped already, if it is known what happens.
bool Reuse::skip_together(std::vector<std::uint32_t> members, Entry& entry) {
    const auto found = known_.find(key_of(members));
    if (found == known_.end()) { return false; }
    const std::uint32_t number = members.front();
    const Known& known = found->second;
    const Course first = courses_[number];
    const auto reserve_first = [&](bool room) {  // for those that are skipped already
        if (first.kind != Course::skipped) { return; }
        if (first.group == none) {
            reserve(at(number).buffers, outcomes_[at(number).kind]->held, room);
        } else {
            reserve(links_of(encounters_.at(number).parts).buffers, encounters_.at(number).held, room);
        }
    };
    reserve_first(false);
    const std::vector<std::uint32_t> buffers = links_of(members).buffers;
    if (!fits_beside(buffers, known.outcome.held)) {
        reserve_first(true);
        return false;
    }
    reserve(buffers, known.outcome.held, true);
    for (std::size_t i = 0; i < members.size(); ++i) {
        Course& course = courses_[members[i]];
        course.kind = Course::skipped;
        course.group = number;
        ++course.version;
        hold(members[i], members[i]);
        const auto at = [&](Ps since) { return since == never ? never : first.entered + since; };
        const auto [released, ended] = known.ends[i];
        entry.skips.push_back({members[i], course.told ? never : at(released), course.over ? never : at(ended)});
    }
    if (known.until != never) { entry.checks.push_back({number, first.entered + known.until}); }
    encounters_[number] = {std::move(members), known.outcome.held};
    return true;
}

// What is recorded goes on with more parts; what happened until now is known.
void Reuse::record_more(std::uint32_t number, Members entering, Ps now, Entry& entry) {
    Group& group = groups_.at(number);
    Outcome outcome;
    const Part links = links_of(group.leaders);
    outcome.held = held_of(links);
    learn(group, now - courses_[number].entered, std::move(outcome));
    std::uint32_t& recorded = recorded_[at(number).kind];
    if (recorded == number) { recorded = none; }
    for (const std::uint32_t part : entering) {
        simulate(part, entry.starts, 0, 0);
        courses_[part].kind = Course::recorded;
        courses_[part].group = number;
        hold(part, part);
        group.leaders.push_back(part);
    }
    begin_traces(group, links.ports.size());
}

void Reuse::learn(const Group& group, Ps until, Outcome outcome) {
    Known& known = known_[key_of(group.leaders)];
    if (!known.ends.empty() && known.until >= until) { return; }
    const Ps start = courses_[group.leaders.front()].entered;
    known = {until, {}, std::move(outcome)};
    for (const std::uint32_t part : group.leaders) {
        const Course& course = courses_[part];
        const bool released = course.releases_ended == at(part).releasing && course.released != never;
        known.ends.emplace_back(released ? course.released - start : never, course.over ? course.ended - start : never);
    }
}

void Reuse::evict_encounter(std::uint32_t number, Ps now, std::vector<Start>& starts) {
    const Encounter encounter = std::move(encounters_.extract(number).mapped());
    const std::vector<std::uint32_t> buffers = links_of(encounter.parts).buffers;
    reserve(buffers, encounter.held, false);
    for (const std::uint32_t n : buffers) { net_.nodes[n].known_until = now; }
    for (const std::uint32_t part : encounter.parts) {
        const Course course = courses_[part];
        hold(part, none);
        simulate(part, starts, course.over ? at(part).crossing : 0, course.told ? at(part).releasing : 0);
    }
}

std::vector<Reuse::Start> Reuse::unknown_from(std::uint32_t part, Ps now) {
    std::vector<Start> starts;
    std::vector<std::uint32_t> members = encounters_.at(part).parts;
    evict_encounter(part, now, starts);
    record(std::move(members));
    groups_[part].meets = true;
    return starts;
}

// If all of it has ended and settled.
bool Reuse::take_over_encounter(std::uint32_t number, Ps now) {
    const std::vector<std::uint32_t>& members = encounters_.at(number).parts;
    const Known& known = known_.at(key_of(members));
    const bool ended = std::ranges::all_of(members, [&](std::uint32_t part) { return courses_[part].over; });
    if (!ended || known.until != never || courses_[number].entered + known.outcome.settled > now) { return false; }
    const Encounter taken = std::move(encounters_.extract(number).mapped());
    reserve(links_of(taken.parts).buffers, taken.held, false);
    take_over(taken.parts, known.outcome);
    return true;
}

}  // namespace fabricast::inline packet
