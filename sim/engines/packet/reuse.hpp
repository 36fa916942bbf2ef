#pragma once
// What happens again, or elsewhere at the same time, is simulated once. A part of a pipeline (parts.hpp) that starts on
// links where nothing else is under way, and has them to itself, takes the same course as every other part of its kind.
// What it shares with others of a switch's buffer does not change that as long as nobody is paused: of a part that is
// not simulated, what it holds at most is set aside there, and if the rest would not do, the replay begins again with
// parts that have their buffers to themselves, too.
// The first one is recorded: when its streams end and what it leaves in the counters. Those of its kind that start with
// it follow it, and what starts later is skipped: both take over what was recorded. If something comes in the way of a
// part that is not simulated, it is simulated from its start after all, so the result is that of a replay without
// reuse. If the same comes in the way of several equal parts at once, as a message on every rail, one of them and what
// it met are simulated, and the others follow these together.

#include <algorithm>
#include <map>
#include <vector>

#include "sim/engines/packet/encounters.hpp"
#include "sim/engines/packet/steady.hpp"

namespace fabricast::inline packet {

// Whether anything of the replay could be the same again. Paths drawn by a flow's number, timers, turns of lanes, rates
// by round trips and windows never are.
bool may_repeat(const Shared& shared);

class Reuse {
public:
    explicit Reuse(Shared& shared);

    // Whether any part may be skipped.
    bool on() const { return courses_.size() > 0; }

    // What goes on for long as it has begun is skipped (steady.hpp): when to look at it, between windows.
    Steady& steady() { return steady_; }
    // A pipeline's streams enter the network.
    Entry enter(std::uint32_t pipeline, Ps now);
    // Calls visit(pipeline) for the stream and for those of parts that follow its own, which end at the same time.
    template <class Visit> void stream_ended(std::uint32_t stream, Ps now, Visit&& visit) {
        const std::uint32_t part = courses_.part_of(stream);
        const Course& course = courses_[part];
        visit(course.pipeline);
        if (course.kind == Course::recorded) {
            const Group& group = recording_.group(course.group);
            const auto member = std::ranges::find(group.leaders, part) - group.leaders.begin();
            for (const auto& following : group.followers) { visit(pipeline_of(following[std::size_t(member)])); }
        }
        count_ended(part, stream, now);
    }
    // Whether the end of one pipeline's part is that of another's: then windows must be as short as the shortest
    // latency, so that every end is known in time.
    bool leads_elsewhere() const { return elsewhere_ > 0; }
    // The foreseen end of all streams of a part, or of those that release its pipeline, is due. Returns their number.
    std::uint32_t part_released(std::uint32_t part);
    std::uint32_t part_ended(std::uint32_t part);
    // A check is due: nothing has come that was expected. Returns what must be simulated.
    std::vector<Entry::Start> unknown_from(std::uint32_t part, Ps now);
    std::uint32_t pipeline_of(std::uint32_t part) const { return courses_[part].pipeline; }
    std::uint32_t version(std::uint32_t part) const { return courses_[part].version; }
    // Calls visit(stream) for the streams of a part that cross a port.
    template <class Visit> void for_each_stream(std::uint32_t part, Visit&& visit) const {
        const std::uint32_t first = shared_.traffic.first_stream[pipeline_of(part)];
        for (const std::uint32_t s : courses_.at(part).streams) { visit(first + s); }
    }
    // Nothing is under way for the pipeline at `now`; its flows are still there. Returns what must be simulated.
    std::vector<Entry::Start> settled(std::uint32_t pipeline, Ps now);
    // Counts what was skipped or followed last.
    void finish();

private:
    using Starts = std::vector<Entry::Start>;
    using Alike = std::map<PartKey, std::uint32_t>;  // groups that are recorded, by what their members have in common

    const Part& at(std::uint32_t part) const { return courses_.at(part); }
    void count_ended(std::uint32_t part, std::uint32_t stream, Ps now);
    bool is_elsewhere(Members followers, const Group& group) const {
        return pipeline_of(followers.front()) != pipeline_of(group.leaders.front());
    }
    // Whether it may turn out that its course is its own: marks that senders heed are drawn by flow and time, and
    // pauses are not taken over. Such parts do not follow another.
    bool may_differ(std::uint32_t part) const { return courses_.is_controlled(part) || !at(part).buffers.empty(); }
    std::vector<std::vector<std::uint32_t>> meetings(std::uint32_t pipeline) const;
    void meet(Members members, Ps now, bool may_lead, Alike& alike, Entry& entry);
    void enter_alone(std::uint32_t part, Ps now, Entry& entry);
    void simulate_skipped(std::uint32_t pipeline, Ps now, Entry& entry);
    void follow(Members members, std::uint32_t group);
    void wake(std::uint32_t part, Ps now, Entry& entry);
    void make_way(std::uint32_t part, Ps now, Starts& starts);
    void evict_followers(Members members, Starts& starts);
    void stop_recording(std::uint32_t group, Ps now, Starts& starts);

    Shared& shared_;
    Courses courses_;
    Recording recording_{shared_, courses_};
    Encounters encounters_{shared_.net, courses_, recording_};
    Steady steady_{shared_, courses_, recording_};
    std::uint32_t elsewhere_ = 0;  // parts that follow one of another pipeline
};

}  // namespace fabricast::inline packet
