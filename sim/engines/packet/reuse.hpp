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
#include <optional>
#include <span>
#include <vector>

#include "sim/engines/packet/parts.hpp"
#include "sim/engines/packet/shared.hpp"

namespace fabricast::inline packet {

class Reuse {
public:
    Reuse(Shared& shared, const ReplayTask& task);

    // Whether any part may be skipped.
    bool on() const { return on_; }

    // A part of a pipeline, numbered over all pipelines, that is to be simulated from `entered`, which is in the past
    // if it was not simulated at first; or one that follows another than before. So many of its streams had been
    // counted as ended, and will end again.
    struct Start {
        std::uint32_t part = 0, pipeline = 0;
        Ps entered = 0;
        std::uint32_t streams_again = 0, releases_again = 0;
        bool simulated = true;
    };
    // A part whose streams that release the pipeline, and all streams, are known to have ended at these times.
    struct Skip {
        std::uint32_t part = 0;
        Ps released = never, ended = never;
    };
    // What happens on the links of a part that is not simulated is not known from then on.
    struct Check {
        std::uint32_t part = 0;
        Ps at = 0;
    };
    struct Entry {
        std::vector<Start> starts;
        std::vector<Skip> skips;
        std::vector<Check> checks;
    };
    // A pipeline's streams enter the network.
    Entry enter(std::uint32_t pipeline, Ps now);
    // Calls visit(pipeline) for the stream and for those of parts that follow its own, which end at the same time.
    template <class Visit> void stream_ended(std::uint32_t stream, Ps now, Visit&& visit) {
        const std::uint32_t part = part_of(stream);
        visit(pipeline_of(part));
        if (courses_[part].kind == Course::recorded) {
            const Group& group = groups_[courses_[part].group];
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
    std::vector<Start> unknown_from(std::uint32_t part, Ps now);
    std::uint32_t pipeline_of(std::uint32_t part) const { return courses_[part].pipeline; }
    std::uint32_t version(std::uint32_t part) const { return courses_[part].version; }
    // Calls visit(stream) for the streams of a part that cross a port.
    template <class Visit> void for_each_stream(std::uint32_t part, Visit&& visit) const {
        const std::uint32_t first = shared_.traffic.first_stream[pipeline_of(part)];
        for (const std::uint32_t s : at(part).streams) { visit(first + s); }
    }
    // Nothing is under way for the pipeline at `now`; its flows are still there. Returns what must be simulated.
    std::vector<Start> settled(std::uint32_t pipeline, Ps now);
    // Counts what was skipped or followed last.
    void finish();

private:
    // What a port is left with.
    struct Trace {
        std::int64_t sent_bytes = 0, most_queued = 0, marks = 0, pauses = 0;
        Ps starved = 0;
        Ps free = 0, last_credit = 0;  // since the start
    };
    // What a part holds of a buffer at most: by all its inputs together, or more, and by one of them.
    struct Held {
        std::int64_t together = 0, one = 0;
    };
    // The course of a part that had its links to itself, in times since it entered.
    struct Outcome {
        Ps released = never, ended = 0, settled = 0;
        double sending = 0;  // ps: Throttle::sending of its flows
        DomainCounts counts;
        std::vector<Trace> traces;  // per port
        std::vector<Held> held;     // per buffer
    };
    // What happens when parts meet (encounters.cpp), as far as it has been seen: until then, in times since the first
    // of them entered; never: to the end, of which `outcome` is.
    struct Known {
        Ps until = never;
        std::vector<std::pair<Ps, Ps>> ends;  // of each part: when it was released and when it ended, if by then
        Outcome outcome;
    };
    struct Encounter {
        std::vector<std::uint32_t> parts;
        std::vector<Held> held;  // what is set aside for it
    };
    struct Course {
        enum Kind : std::uint8_t { outside, simulated, recorded, follows, skipped };
        Kind kind = outside;
        bool over = false;  // all its streams have ended
        bool told = false;  // its releasing streams have been counted, if it is skipped
        std::uint32_t pipeline = 0;
        std::uint32_t version = 0;    // of its foreseen events
        std::uint32_t leader = none;  // whom it follows
        std::uint32_t group = none;   // if it is recorded or follows; the encounter of one that is skipped in one
        std::uint32_t streams_ended = 0, releases_ended = 0;
        Ps entered = 0, released = never, ended = 0;
    };
    // Parts that are recorded, and parts that follow them, each list in the same order. Numbered by its first leader.
    struct Group {
        std::vector<std::uint32_t> leaders;
        std::vector<std::vector<std::uint32_t>> followers;
        bool meets = false;  // an encounter: what comes in the way is recorded, too
        std::vector<Trace> before;
        std::vector<std::uint32_t> draws;
    };
    using Members = std::span<const std::uint32_t>;
    using Alike = std::map<PartKey, std::uint32_t>;  // groups that are recorded, by what their members have in common

    const Part& at(std::uint32_t part) const {
        const std::uint32_t pipeline = pipeline_of(part);
        return parts_.of_shape[shared_.traffic.shape_of[pipeline]][part - first_part_[pipeline]];
    }
    std::uint32_t part_of(std::uint32_t stream) const {
        const Traffic& traffic = shared_.traffic;
        const std::uint32_t pipeline = traffic.pipeline_of(stream);
        const std::uint32_t number = stream - traffic.first_stream[pipeline];
        return first_part_[pipeline] + parts_.part_of[traffic.shape_of[pipeline]][number];
    }
    void count_ended(std::uint32_t part, std::uint32_t stream, Ps now);
    bool is_elsewhere(Members followers, const Group& group) const {
        return pipeline_of(followers.front()) != pipeline_of(group.leaders.front());
    }
    bool at_rest(const Part& of, Ps now) const;
    bool alone(const Part& part, Ps now) const;
    // Whether no buffer that the part holds something of will pause anybody.
    bool fits_beside(std::span<const std::uint32_t> buffers, std::span<const Held> held) const;
    // Keeps room in buffers for what is not simulated, or gives it back.
    void reserve(std::span<const std::uint32_t> buffers, std::span<const Held> held, bool room);
    bool rests(std::uint32_t port, Ps now) const;
    // Whether it may turn out that its course is its own: marks that senders heed are drawn by flow and time, and
    // pauses are not taken over. Such parts do not follow another.
    bool may_differ(const Part& part) const {
        return (shared_.control != CongestionControl::none && part.controlled) || !part.buffers.empty();
    }
    // Enters.
    std::vector<std::vector<std::uint32_t>> meetings(std::uint32_t pipeline) const;
    void meet(Members members, Ps now, bool may_lead, Alike& alike, Entry& entry);
    void enter_alone(std::uint32_t part, Ps now, Entry& entry);
    void follow(Members members, std::uint32_t group);
    void simulate(std::uint32_t part, std::vector<Start>& starts, std::uint32_t streams_again,
                  std::uint32_t releases_again);
    void make_way(std::uint32_t part, Ps now, std::vector<Start>& starts);
    void evict(std::uint32_t part, Ps now, std::vector<Start>& starts);
    // Encounters.
    void encounter(std::uint32_t pipeline, Ps now, Entry& entry);
    std::uint32_t encounter_at(std::uint32_t resource) const;
    bool may_join(std::uint32_t part, std::uint32_t number, Ps now) const;
    void go_on(std::uint32_t number, Members entering, Ps now, Entry& entry);
    bool skip_together(std::vector<std::uint32_t> members, Entry& entry);
    void record_more(std::uint32_t number, Members entering, Ps now, Entry& entry);
    void evict_encounter(std::uint32_t number, Ps now, std::vector<Start>& starts);
    bool take_over_encounter(std::uint32_t number, Ps now);
    void learn(const Group& group, Ps until, Outcome outcome);
    PartKey key_of(Members members) const;
    bool may_meet(std::uint32_t part) const {
        return !at(part).buffers.empty() && (shared_.control == CongestionControl::none || !at(part).controlled);
    }
    void evict_followers(Members members, std::vector<Start>& starts);
    // Records.
    void record(std::vector<std::uint32_t> leaders);
    void begin_traces(Group& group, std::size_t first);
    bool differs(const Group& group) const;
    std::vector<Held> held_of(const Part& links) const;
    bool over(const Group& group) const;
    void stop_recording(std::uint32_t group, Ps now, std::vector<Start>& starts);
    Outcome outcome_of(const Group& group);
    // The ports and buffers of several parts, each once.
    Part links_of(Members members) const;
    Trace trace_of(std::uint32_t port) const;
    void count(std::uint32_t part, DomainCounts& counts) const;
    void take_over(Members members, const Outcome& outcome);
    void hold(std::uint32_t part, std::uint32_t holder);

    Shared& shared_;
    Network& net_ = shared_.net;
    bool on_ = false;
    Parts parts_;
    std::vector<std::uint32_t> first_part_;         // per pipeline
    std::vector<std::optional<Outcome>> outcomes_;  // per kind
    std::vector<std::uint32_t> recorded_;           // per kind: the part that is recorded by itself; none
    std::vector<Course> courses_;                   // per part
    std::map<std::uint32_t, Group> groups_;
    std::map<PartKey, Known> known_;
    bool meet_ = false;                              // some parts may be in encounters
    std::map<std::uint32_t, Encounter> encounters_;  // that are skipped, by their first part
    std::uint32_t elsewhere_ = 0;                    // parts that follow one of another pipeline
    std::vector<std::uint32_t> users_;               // per resource: parts that are being simulated on it
    std::vector<std::uint32_t> holder_;  // per resource: the part that is recorded or not simulated on it; none
};

}  // namespace fabricast::inline packet
