#pragma once
// What parts do that are simulated for others as well: when their streams end and what they leave in the counters.

#include <map>
#include <optional>
#include <vector>

#include "sim/engines/packet/courses.hpp"

namespace fabricast::inline packet {

// What a port is left with.
struct Trace {
    std::int64_t sent_bytes = 0, most_queued = 0, marks = 0, pauses = 0;
    std::uint32_t draws = 0;
    Ps starved = 0;
    Ps free = 0, last_credit = 0;  // since the start
};
using Traces = std::map<std::uint32_t, Trace>;  // per port

// The course of parts that had their links to themselves, in times since the first of them entered.
struct Outcome {
    Ps released = never, ended = 0, settled = 0;
    double sending = 0;  // ps: Throttle::sending of its flows
    DomainCounts counts;
    std::vector<Trace> traces;  // per port
    std::vector<Held> held;     // per buffer
};

// Parts that are recorded, and parts that follow them, each list in the same order. Numbered by its first leader.
struct Group {
    std::vector<std::uint32_t> leaders;
    std::vector<std::vector<std::uint32_t>> followers;
    Traces before;
    bool meets = false;        // an encounter: what comes in the way is recorded, too
    std::uint64_t serial = 0;  // Recording::changes() when it began
};

class Recording {
public:
    Recording(Shared& shared, Courses& courses) : shared_(shared), courses_(courses) {}

    // `before`: of ports that were recorded already.
    void record(std::vector<std::uint32_t> leaders, bool meets = false, Traces before = {});
    Group& group(std::uint32_t number) { return groups_.at(number); }
    const Group& group(std::uint32_t number) const { return groups_.at(number); }
    const std::map<std::uint32_t, Group>& groups() const { return groups_; }
    // How often groups have begun or ended.
    std::uint64_t changes() const { return changes_; }
    // The group is recorded no longer.
    Group end(std::uint32_t number);
    Outcome outcome_of(const Group& group);
    // Whether others of its kind may not be left with the same: marks were drawn that senders heed, or ports were
    // paused, which hear of the end of a pause when they next have a packet.
    bool differs(const Group& group) const;
    std::vector<Held> held_of(const Courses::Links& links) const;

    // Of parts that led by themselves, per kind: what is known, and the part that is recorded; none.
    std::optional<Outcome>& outcome(std::uint32_t part) { return outcomes_[courses_.at(part).kind]; }
    std::uint32_t& recorded(std::uint32_t part) { return recorded_[courses_.at(part).kind]; }

    // Keeps room in buffers for a part that is skipped by itself, or gives it back.
    void reserve(std::uint32_t part, bool room) {
        courses_.reserve(courses_.at(part).buffers, outcome(part)->held, room);
    }
    // Simulates a part that is skipped by itself, or has not begun.
    void evict(std::uint32_t part, Ps now, std::vector<Entry::Start>& starts);
    // Counts parts that were not simulated.
    void take_over(Members members, const Outcome& outcome);
    // The same for a part that is skipped by itself, if it has ended and settled.
    bool take_over_settled(std::uint32_t part, Ps now);
    // Counts what was skipped by itself or followed last.
    void finish();

private:
    Trace trace_of(std::uint32_t port) const;
    void count(std::uint32_t part, DomainCounts& counts) const;

    Shared& shared_;
    Network& net_ = shared_.net;
    Courses& courses_;
    std::vector<std::optional<Outcome>> outcomes_ = std::vector<std::optional<Outcome>>(courses_.kinds());
    std::vector<std::uint32_t> recorded_ = std::vector<std::uint32_t>(courses_.kinds(), none);
    std::map<std::uint32_t, Group> groups_;
    std::uint64_t changes_ = 0;
    std::vector<std::uint32_t> recordings_ = std::vector<std::uint32_t>(net_.nodes.size());  // per buffer
};

}  // namespace fabricast::inline packet
