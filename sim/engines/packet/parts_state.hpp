#pragma once
// All that decides what parts do next which have their links to themselves. Two moments are alike if nothing but the
// time and the number of pieces and packets so far tells them apart: what happened between them happens again from the
// second, and so on, until a stream comes near its end.

#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "sim/engines/packet/courses.hpp"
#include "sim/engines/packet/signature.hpp"

namespace fabricast::inline packet {

class PartsState {
public:
    PartsState(Shared& shared, const Courses& courses, Members parts);

    // The state when all that happens before `now` has happened and nothing later has.
    struct Seen {
        Ps now = 0;
        PartKey key;                         // equal for moments that are alike
        std::vector<std::int64_t> counters;  // what has been counted so far, in a fixed order
    };
    // None if it is not known to repeat itself: somebody is paused.
    std::optional<Seen> at(Ps now) const;
    // How often what was counted between two moments that are alike, the second of which is now, may happen again.
    std::int64_t repeats(std::span<const std::int64_t> before, std::span<const std::int64_t> now) const;
    // What happens in `period`, in which `gains` are counted, happens `times` times, or is undone as often if negative.
    void shift(Ps period, std::span<const std::int64_t> gains, std::int64_t times);
    // The nodes have something to do at `at`.
    void wake(Ps at) const {
        for (const std::uint32_t n : nodes_) { shared_.next[n] = std::min(shared_.next[n], at); }
    }
    std::uint32_t node() const { return nodes_.front(); }
    // Bytes that the parts hold in the buffer of node `n`.
    std::int64_t held(std::uint32_t n) const;
    // The stream that had most left to do at first.
    std::uint32_t longest() const { return longest_; }

private:
    struct Look;
    void see_port(Look& look, std::uint32_t port) const;
    void see_stream(Look& look, std::uint32_t stream) const;
    void see_slots(Look& look, std::uint32_t stream) const;
    void see_mail(Look& look) const;
    std::vector<std::int64_t> counters() const;
    bool is_mine(const ControlMessage& mail) const {
        return mail.kind != ControlMessage::refresh && mine_.contains(mail.target);
    }
    bool is_still() const;
    // Calls visit(counter), for ports, then streams, then counts of several predecessors.
    template <class Visit> void for_each_counter(Visit&& visit) const;
    void shift_port(std::uint32_t port, Ps by, std::uint32_t packets) const;
    void shift_stream(std::uint32_t stream, Ps by, std::int64_t pieces, std::int64_t chunks) const;
    void count_skipped(std::span<const std::int64_t> gains, std::int64_t times) const;

    Shared& shared_;
    Traffic& traffic_ = shared_.traffic;
    Network& net_ = shared_.net;
    std::vector<std::uint32_t> ports_, nodes_, services_, streams_;  // streams: of the traffic
    std::uint32_t longest_ = none;
    std::vector<std::uint32_t> have_;         // into Traffic::have
    std::unordered_set<std::uint32_t> mine_;  // the streams
};

}  // namespace fabricast::inline packet
