#pragma once
// The schedule above the packets: which operations are ready, what they start, and when they end. Runs between windows,
// ahead of the packets: whatever ends in a window is known before it begins, since the last link has a latency too.

#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "sim/engines/common/kernels.hpp"
#include "sim/engines/common/progress.hpp"
#include "sim/engines/packet/frame.hpp"
#include "sim/engines/packet/reuse.hpp"

namespace fabricast::inline packet {

class Operations {
public:
    Operations(const ReplayTask& task, Shared& shared);

    // Starts the operations that wait for nothing.
    void begin() {
        progress_.begin([&](OpId op) { push(0, Event::ready, op); });
    }
    void add(const Done& done);
    Ps next() const { return events_.empty() ? never : events_.top().time; }
    using Post = std::function<void(const ControlMessage&)>;
    // Handles the next event; posts the messages and streams that begin.
    void step(const Post& post);

    // Gives back what pipelines needed for which nothing is under way any more at `now`.
    void clear_up(Ps now, const Post& post);

    void finish() { reuse_.finish(); }
    Steady* steady() { return reuse_.on() ? &reuse_.steady() : nullptr; }
    bool needs_short_windows() const { return reuse_.leads_elsewhere(); }

    Progress& progress() { return progress_; }
    // How long the first million of messages and pipelines took, for percentiles.
    const std::vector<Ps>& completions() const { return completions_; }

private:
    // `index` is an operation, a stream, a part or a device.
    struct Event {
        enum Kind : std::uint32_t {
            ready,
            delay,
            kernel,
            message,
            stream,
            holds,
            part_released,
            part_ended,
            drained,
            enters,
            unknown_from  // after what enters at the same time
        };
        Ps time;
        Kind kind;
        std::uint32_t index;
        std::uint32_t version;
        friend auto operator<=>(const Event&, const Event&) = default;
    };

    struct Running {
        Ps ready = 0;
        std::uint32_t streams_left = 0, releases_left = 0;
        std::uint32_t version = 0;  // of its end, which lapses if a part of it is simulated after all
        bool released = false, ended = false;
        bool begun = false;  // has flows
    };
    struct Ended {
        Ps at = 0;
        std::uint32_t pipeline = 0, version = 0;
    };

    void start(OpId op, Ps now, const Post& post);
    void start_message(OpId op, Ps now, const Post& post);
    void start_pipeline(OpId op, Ps now, const Post& post);
    void enter(OpId op, Ps now, const Post& post);
    void begin(std::uint32_t pipeline);
    void simulate(const Entry::Start& start, const Post& post);
    void post_stream(std::uint32_t stream, Ps entered, const Post& post);
    void count_released(OpId op, std::uint32_t streams, Ps now);
    void count_ended(OpId op, std::uint32_t streams, Ps now);
    void release(OpId op, Ps now);
    void drained(OpId op, Ps now);
    void run(OpId op, Ps now);
    void stream_ended(std::uint32_t stream, Ps now);
    void end(OpId op, Ps now);
    void complete(Ps took) {
        if (completions_.size() < 1 << 20) { completions_.push_back(took); }
    }
    void predict_kernels() {
        kernels_.update(
            [&](Time at, std::uint32_t device, std::uint32_t version) { push(at.ps, Event::kernel, device, version); });
    }
    void push(Ps time, Event::Kind kind, std::uint32_t index, std::uint32_t version = 0) {
        events_.push({on_clock(time), kind, index, version});
    }
    void push(Ps time, Event::Kind kind, OpId op, std::uint32_t version = 0) { push(time, kind, index(op), version); }

    const Schedule& schedule_;
    Shared& shared_;
    const Traffic& traffic_ = shared_.traffic;
    Reuse reuse_;
    Kernels kernels_;
    Progress progress_{schedule_, MessageOrder::by_engine};  // flows keep the messages of a connection in order
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::vector<Ps> message_ready_ = std::vector<Ps>(schedule_.transfers.size());
    std::vector<Running> pipelines_ = std::vector<Running>(schedule_.pipelines.size());
    std::deque<Ended> ended_;       // pipelines that may still have flows, in order of their ends
    std::vector<Ps> path_latency_;  // per connection that crosses no port
    std::vector<Ps> completions_;
};

}  // namespace fabricast::inline packet
