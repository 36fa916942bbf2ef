#pragma once
// The schedule above the packets: which operations are ready, what they start, and when they end. Runs between windows,
// ahead of the packets: whatever ends in a window is known before it begins, since the last link has a latency too.

#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/engines/common/kernels.hpp"
#include "sim/engines/common/progress.hpp"
#include "sim/engines/packet/control_message.hpp"
#include "sim/engines/packet/flows.hpp"

namespace fabricast::packet {

// How long a message or a pipeline took, for percentiles.
struct Completion {
    Ps took = 0;
    std::int64_t bytes = 0;
};

class Operations {
public:
    Operations(const Fabric& fabric, const Schedule& schedule, const Traffic& traffic, const DeviceLimits& device);

    void begin();  // starts the operations that wait for nothing
    void add(const Done& done);
    Ps next() const { return events_.empty() ? never : events_.top().time; }
    // Handles the next event; posts the messages and streams that begin.
    void step(const std::function<void(const ControlMessage&)>& post);

    Progress& progress() { return progress_; }
    const std::vector<Completion>& completions() const { return completions_; }

private:
    // `index` is an operation, a stream or a device.
    struct Event {
        enum Kind : std::uint32_t { ready, delay, kernel, message, stream, holds, drained };
        Ps time;
        Kind kind;
        std::uint32_t index;
        std::uint32_t version;
        friend bool operator>(const Event& a, const Event& b) {
            return std::tie(a.time, a.kind, a.index, a.version) > std::tie(b.time, b.kind, b.index, b.version);
        }
    };
    using Post = std::function<void(const ControlMessage&)>;

    void handle(const Event& event, const Post& post);
    void start(OpId op, Ps now, const Post& post);
    void start_message(OpId op, Ps now, const Post& post);
    void start_pipeline(OpId op, Ps now, const Post& post);
    void run(OpId op, Ps now);
    void stream_ended(std::uint32_t stream, Ps now);
    void end(OpId op, Ps now);
    void complete(Ps took, std::int64_t bytes);
    void predict_kernels();
    void push(Ps time, Event::Kind kind, std::uint32_t index, std::uint32_t version = 0) {
        events_.push({on_clock(time), kind, index, version});
    }
    void push(Ps time, Event::Kind kind, OpId op) { push(time, kind, static_cast<std::uint32_t>(op)); }

    const Schedule& schedule_;
    const Traffic& traffic_;
    Kernels kernels_;
    Progress progress_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::vector<Ps> message_ready_, pipeline_ready_;  // per transfer, per pipeline
    std::vector<OpId> op_of_pipeline_;
    std::vector<std::uint32_t> streams_left_, releases_left_;  // per pipeline
    std::vector<Ps> path_latency_;                             // per connection that crosses no port
    std::vector<Completion> completions_;
};

}  // namespace fabricast::packet
