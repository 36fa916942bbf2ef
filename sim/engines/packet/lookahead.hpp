#pragma once
// How far packets may run ahead of the operations: up to the first moment at which an operation that others wait for
// could end. A bound is computed from the bytes still to be sent and the latencies ahead, and again at it.

#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/engines/packet/flows.hpp"
#include "sim/engines/packet/frame.hpp"

namespace fabricast::inline packet {

class Lookahead {
public:
    Lookahead(const Traffic& traffic, const Schedule& schedule, bool lossy);

    // Several processes replay the traffic together. What a flow has sent is known to the one that owns its first node;
    // `least` returns the least of what all of them give, one by one.
    using Owns = std::function<bool(std::uint32_t node)>;
    using Least = std::function<std::vector<Ps>(std::vector<Ps>)>;
    void share(Owns owns, Least least);

    // A message or stream that enters the network at `mail.time` ends no earlier; never if nobody waits for it.
    Ps watch(const ControlMessage& mail);
    void ended(const Done& done) { open(done.kind)[done.index] = false; }
    // The latest possible end of a window that begins at `now`; at most `wanted`.
    Ps limit(Ps now, Ps wanted);

private:
    // A pipeline, of which some streams may not be simulated, is released when all of its streams that release it have
    // ended, and ends with the last stream: it is enough to watch one at a time, one that releases it if there is one.
    struct Watched {
        bool any_bound = false, releasing_bound = false;  // `bounds_` has one for it, for a stream that releases it
        std::uint32_t releasing = none, any = none;       // the first streams that may not have ended yet
    };

    Ps watch_message(const ControlMessage& mail);
    Ps watch_pipeline(const ControlMessage& mail);
    // The stream of the pipeline to watch; `none` if all have ended.
    std::uint32_t not_ended(std::uint32_t pipeline);
    using Key = std::pair<Done::Kind, std::uint32_t>;
    // Learns the bounds that limit() may look at.
    void learn(Ps now, Ps wanted);
    void collect(std::size_t place, Ps wanted, std::vector<Key>& keys);
    Ps fresh(Done::Kind kind, std::uint32_t index, Ps now) const;
    Ps bound_of(Done::Kind kind, std::uint32_t index, Ps now) const;
    Ps message_bound(std::uint32_t transfer, Ps now) const;
    Ps stream_bound(std::uint32_t stream, Ps now) const;
    Ps sending(std::uint32_t flow, std::int64_t bytes, Ps now) const;
    Ps on_last_link(std::uint32_t flow, Ps now) const;
    std::vector<bool>& open(Done::Kind kind) { return kind == Done::message ? messages_ : streams_; }

    const Traffic& traffic_;
    const Schedule& schedule_;
    bool lossy_;
    Ps floor_ = traffic_.network.window;    // the smallest latency: nothing ends earlier
    std::vector<bool> messages_, streams_;  // watched and not yet ended
    std::vector<bool> awaited_;             // per operation: whether others wait for it
    std::vector<Watched> pipelines_;
    struct Bounds : std::priority_queue<Done, std::vector<Done>, std::greater<>> {
        const std::vector<Done>& all() const { return c; }
    };
    Bounds bounds_;  // none may end earlier than its time
    Owns owns_;
    Least least_;
    std::vector<Key> learned_;  // in order, and what was learned of each
    std::vector<Ps> learned_bounds_;
};

}  // namespace fabricast::inline packet
