#pragma once
// What happens again is simulated once. A pipeline that starts on links where nothing else is under way, and has them
// to itself, takes the same course each time: the first time it is recorded when it releases, when it ends and what it
// leaves in the counters, and the next time that is taken over, shifted in time. If something comes in its way while
// it is skipped, it is simulated from its start after all, so the result is that of a replay without reuse.

#include <optional>
#include <vector>

#include "sim/engines/packet/shared.hpp"

namespace fabricast::inline packet {

class Reuse {
public:
    Reuse(Shared& shared, const ReplayTask& task);

    // Whether any pipeline may be skipped.
    bool on() const { return on_; }

    struct Entry {
        std::vector<std::uint32_t> in_the_way;  // pipelines that were skipped and must be simulated after all
        bool skipped = false;
        Ps released = never, ended = never;  // if it is skipped
    };
    // A pipeline's streams enter the network.
    Entry enter(std::uint32_t pipeline, Ps now);
    void released(std::uint32_t pipeline, Ps now) { at(pipeline).released = now; }
    // Returns whether it was simulated.
    bool ended(std::uint32_t pipeline, Ps now);
    // Nothing is under way for it any more at `now`, or something else begins on its links; its flows are still there.
    void settled(std::uint32_t pipeline, Ps now);
    Ps entered(std::uint32_t pipeline) const { return courses_[pipeline].entered; }
    // Counts what was skipped last.
    void finish();

private:
    // What a port is left with.
    struct Trace {
        std::int64_t sent_bytes = 0, most_queued = 0, marks = 0;
        Ps starved = 0, free = 0, last_credit = 0;  // the last two since the start
    };
    // The course of a pipeline that had its links to itself, in times since it entered.
    struct Outcome {
        Ps released = never, ended = 0, settled = 0;
        double sending = 0;  // ps: Throttle::sending of its flows
        DomainCounts counts;
        std::vector<Trace> traces;            // per port of its footprint
        std::vector<std::int64_t> used_most;  // per buffer
    };
    // What a pipeline touches: ports, shared buffers of nodes, services, numbered in this order.
    struct Footprint {
        std::vector<std::uint32_t> ports, buffers, services, all;
    };
    struct Course {
        enum Kind : std::uint8_t { outside, simulated, recorded, skipped };
        Kind kind = outside;
        bool over = false;
        Ps entered = 0, released = never, ended = 0;
    };
    struct Recording {
        std::uint32_t pipeline = 0;
        std::vector<Trace> before;
        std::vector<std::uint32_t> draws;
        std::vector<std::int64_t> used_before;
        std::int64_t pauses = 0;
    };

    Course& at(std::uint32_t pipeline) { return courses_[pipeline]; }
    Footprint footprint_of(const Shape& shape) const;
    const Footprint& footprint(std::uint32_t pipeline) const { return footprints_[shared_.traffic.shape_of[pipeline]]; }
    bool at_rest(const Footprint& of, Ps now) const;
    std::int64_t pauses(const Footprint& of) const;
    DomainCounts counts_of(const Shape& shape) const;
    void record(std::uint32_t pipeline);
    // `whole`: it has ended and its links are at rest.
    void stop_recording(std::uint32_t pipeline, bool whole);
    void take_over(std::uint32_t pipeline);
    void let_go(std::uint32_t pipeline);

    Shared& shared_;
    Network& net_ = shared_.net;
    bool on_ = false;
    std::vector<Footprint> footprints_;             // per shape
    std::vector<std::optional<Outcome>> outcomes_;  // per shape
    std::vector<Course> courses_;                   // per pipeline
    std::vector<Recording> recordings_;
    std::vector<std::uint32_t> users_;   // per resource: pipelines that are being simulated on it
    std::vector<std::uint32_t> holder_;  // per resource: the pipeline that is skipped or recorded on it; none
};

}  // namespace fabricast::inline packet
