#pragma once
// What meets in the same way again is simulated once, too. An encounter begins with a part that has its links to
// itself; parts that come in its way join it, as the reduction of gradients and the all-to-alls beside it, and join
// encounters with each other. What was seen of the first such encounter until the next part came, and in the end, is
// known by what has met and when. One that begins likewise is skipped as long as the same joins it at the same times,
// and simulated from its start after all if not. Only where switches share their buffers: elsewhere those that meet
// alike at once follow one (Reuse::meet).

#include <map>
#include <utility>
#include <vector>

#include "sim/engines/packet/recording.hpp"

namespace fabricast::inline packet {

class Encounters {
public:
    Encounters(const Network& net, Courses& courses, Recording& recording);

    // Whether what meets the part may become an encounter.
    bool takes(std::uint32_t part) const { return on_ && !courses_.is_controlled(part); }
    // Parts of the pipeline that meet encounters join them; what a part meets is one encounter from then on.
    void enter(std::uint32_t pipeline, Ps now, Entry& entry);
    // Skips the part if it is known what happens until something joins it.
    bool skip(std::uint32_t part, Entry& entry) { return skip_together({}, {part}, entry); }
    // Something comes in the way that cannot join.
    void evict(std::uint32_t number, Ps now, std::vector<Entry::Start>& starts);
    // A check is due: nothing has come that was expected.
    void unknown_from(std::uint32_t number, Ps now, std::vector<Entry::Start>& starts);
    // What was recorded has ended.
    void learn(const Group& group, Outcome outcome) { learn(group, never, std::move(outcome)); }
    // If all of it has ended and settled.
    bool take_over(std::uint32_t number, Ps now);
    void finish() {
        while (!skipped_.empty()) { take_over(skipped_.begin()->first, never); }
    }

private:
    // What happens, as far as it has been seen: until then, in times since the first part entered; never: to the end,
    // of which `outcome` is.
    struct Known {
        Ps until = never;
        std::vector<std::pair<Ps, Ps>> ends;  // of each part: when it was released and when it ended, if by then
        Outcome outcome;
    };
    struct Encounter {
        std::vector<std::uint32_t> parts;
        std::vector<Held> held;  // what is set aside for it
    };

    std::uint32_t at(std::uint32_t resource) const;
    bool may_join(std::uint32_t part, Ps now) const;
    void go_on(Members numbers, Members entering, Ps now, Entry& entry);
    Members members_of(const std::uint32_t& number) const;
    bool skip_together(Members numbers, std::vector<std::uint32_t> members, Entry& entry);
    void reserve(std::uint32_t number, bool room);
    Traces end_record(std::uint32_t number, Ps now);
    void learn(const Group& group, Ps until, Outcome outcome);
    PartKey key_of(Members members) const;

    const Network& net_;
    Courses& courses_;
    Recording& recording_;
    bool on_ = false;
    std::map<PartKey, Known> known_;
    std::map<std::uint32_t, Encounter> skipped_;  // by their first part
};

}  // namespace fabricast::inline packet
