#pragma once
// Which parts of pipelines (parts.hpp) are on which links, and how each comes to its end: by being simulated, or by
// taking over what another did (reuse.hpp).

#include <algorithm>
#include <span>
#include <vector>

#include "sim/engines/packet/parts.hpp"
#include "sim/engines/packet/shared.hpp"

namespace fabricast::inline packet {

using Members = std::span<const std::uint32_t>;  // parts, numbered over all pipelines

// What a part holds of a buffer at most, or more, and how much others may hold beside it before it could be paused.
struct Held {
    std::int64_t most = 0, beside = 0;
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

// What a pipeline's entry, or the lack of one, asks for.
struct Entry {
    // A part that is to be simulated from `entered`, which is in the past if it was not simulated at first; or one that
    // follows another than before. So many of its streams had been counted as ended, and will end again.
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
    // What was skipped goes on from then, which is in the past.
    struct Resume {
        Ps at = 0;
        std::uint32_t node = 0;
    };
    std::vector<Start> starts;
    std::vector<Resume> resumes;
    std::vector<Skip> skips;
    std::vector<Check> checks;
    bool crowded = false;  // a buffer has no room for all that the pipeline's parts may hold of it
};

class Courses {
public:
    Courses(Shared& shared, Parts parts);

    Course& operator[](std::uint32_t part) { return courses_[part]; }
    const Course& operator[](std::uint32_t part) const { return courses_[part]; }
    const Part& at(std::uint32_t part) const {
        const std::uint32_t pipeline = courses_[part].pipeline;
        return parts_.of_shape[shared_.traffic.shape_of[pipeline]][part - first_part_[pipeline]];
    }
    std::uint32_t part_of(std::uint32_t stream) const;
    std::uint32_t begin(std::uint32_t pipeline) const { return first_part_[pipeline]; }
    std::uint32_t end(std::uint32_t pipeline) const { return first_part_[pipeline + 1]; }
    std::uint32_t size() const { return first_part_.back(); }
    std::size_t kinds() const { return parts_.uses.size(); }
    std::uint64_t uses(std::uint32_t part) const { return parts_.uses[at(part).kind]; }
    bool all_over(Members members) const;

    // The part that is recorded or not simulated on a link, node or service; none.
    std::uint32_t holder(std::uint32_t resource) const { return holder_[resource]; }
    void hold(std::uint32_t part, std::uint32_t holder) {
        for (const std::uint32_t r : at(part).resources) { holder_[r] = holder; }
    }
    void simulate(std::uint32_t part, std::vector<Entry::Start>& starts, std::uint32_t streams_again,
                  std::uint32_t releases_again);
    // From its start, also if it was skipped.
    void simulate_after_all(std::uint32_t part, std::vector<Entry::Start>& starts);
    // All its streams have ended in the simulation.
    void ended(std::uint32_t part, Ps now);

    // Whether nothing is simulated on a link, node or service, and all is as it was at the beginning of the replay.
    bool idle(std::uint32_t resource, Ps now) const;
    // Whether links and services are as they were at the beginning of the replay.
    bool at_rest(const Part& of, Ps now) const;
    bool alone(std::uint32_t part, Ps now) const {
        return std::ranges::all_of(at(part).resources, [&](std::uint32_t r) { return idle(r, now); });
    }
    bool is_controlled(std::uint32_t part) const {
        return shared_.control != CongestionControl::none && at(part).controlled;
    }

    // Those of several parts, each once.
    struct Links {
        std::vector<std::uint32_t> ports, buffers;
    };
    Links links_of(Members members) const;

    // Whether no buffer that parts hold something of will pause anybody.
    bool fits_beside(Members buffers, std::span<const Held> held) const;
    // Keeps room in buffers for what is not simulated, or gives it back.
    void reserve(Members buffers, std::span<const Held> held, bool room);
    // The same for what is simulated from its start after all: it may pause nobody before it has caught up.
    void give_up(Members buffers, std::span<const Held> held, Ps now);

private:
    bool rests(std::uint32_t port, Ps now) const;

    Shared& shared_;
    Network& net_ = shared_.net;
    Parts parts_;
    std::vector<std::uint32_t> first_part_;  // per pipeline, and the end
    std::vector<Course> courses_;            // per part
    std::vector<std::uint32_t> users_;       // per resource: parts that are being simulated on it
    std::vector<std::uint32_t> holder_;      // per resource
};

}  // namespace fabricast::inline packet
