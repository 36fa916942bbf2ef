#pragma once
// A long transfer goes on for thousands of chunks as it has begun. Where parts that are recorded have come back to a
// state that they were in (parts_state.hpp), what happened since then happens again and again until a stream comes near
// its end, or something comes in their way: so much of it is skipped, exactly. The cycle is looked for by Brent's
// method, at moments that are as long after a chunk of the longest stream as each other.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sim/engines/packet/parts_state.hpp"
#include "sim/engines/packet/recording.hpp"

namespace fabricast::inline packet {

// Whether a stream has chunks enough to look for a cycle.
inline bool is_long(const Stream& stream) { return stream.slots_end / stream.slices >= 24; }

class Steady {
public:
    Steady(Shared& shared, Courses& courses, const Recording& recording)
        : shared_(shared), courses_(courses), recording_(recording) {}

    // Whether the part's streams are long enough to look for a cycle.
    bool is_long(std::uint32_t part) const;
    // When a window must end, so that look() finds all that happens earlier done and nothing later.
    Ps next() const { return next_; }
    // Nothing happens before `start` any more; windows, at most `longest` long, have gone up to `reached`.
    void look(Ps start, Ps reached, Ps longest);
    // Whether something is skipped now.
    bool skips() const {
        return std::ranges::any_of(watched_, [](const auto& entry) { return entry.second.times > 0; });
    }
    // Something comes in the way of a group at `now`: undoes what was skipped beyond then.
    void wake(std::uint32_t group, Ps now, Entry& entry);

private:
    struct Watched {
        std::uint64_t serial = 0;  // of the recording
        std::size_t ended = 0;     // how many of its parts have ended
        Ps quiet = 0;              // when nothing more is under way for these
        PartsState state;
        std::uint32_t stream = 0;  // the longest
        std::uint32_t chunks = 0;  // of which slots had been freed when last looked at
        std::uint32_t from = 2;    // no look before as many
        Ps due = never;            // when the state is looked at, or goes on after what was skipped
        std::uint32_t looks = 0;   // at the state, in this series
        PartsState::Seen kept = {};
        bool over = false;  // nothing is to be skipped any more
        // What is skipped now.
        std::int64_t times = 0;
        Ps began = 0, period = 0;
        std::vector<std::int64_t> gains = {};
        std::vector<std::uint32_t> buffers = {};
        std::vector<Held> held = {};
    };

    void follow_recordings();
    std::size_t ended(const Group& group) const;
    void watch(std::uint32_t number, const Group& group);
    void schedule(Watched& watched, Ps reached, Ps longest) const;
    void look_at(Watched& watched, std::uint32_t group, Ps at);
    bool skip(Watched& watched, std::uint32_t group, const PartsState::Seen& now);
    bool set_aside(Watched& watched, std::uint32_t group);

    Shared& shared_;
    Courses& courses_;
    const Recording& recording_;
    Ps next_ = never;
    std::uint64_t changes_ = 0;  // of the recordings, seen so far
    std::map<std::uint32_t, Watched> watched_;
};

}  // namespace fabricast::inline packet
