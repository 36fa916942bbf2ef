#pragma once
// The schedule above the packets: which operations are ready, what they start, and when they end. Runs between windows,
// ahead of the packets: whatever ends in a window is known before it begins, since the last link has a latency too.

#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/engines/common/dependents.hpp"
#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/kept.hpp"
#include "sim/engines/common/kernels.hpp"
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
    Operations(const Fabric& fabric, const Schedule& schedule, Traffic& traffic, const DeviceLimits& device);

    void begin();  // starts the operations that wait for nothing
    void add(const Done& done);
    Ps next() const { return events_.empty() ? never : events_.top().time; }
    // Handles the next event; posts the messages and streams that begin.
    void step(const std::function<void(const ControlMessage&)>& post);
    bool finished() const { return left_ == 0; }
    std::size_t ended() const { return schedule_.size() - left_; }
    // The first operation that has not ended.
    OpId waiting() const;

    Kept& kept() { return kept_; }
    const std::vector<Completion>& completions() const { return completions_; }

private:
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
    void start(std::uint32_t op, Ps now, const Post& post);
    void start_message(std::uint32_t transfer, Ps now, const Post& post);
    void start_pipeline(std::uint32_t pipeline, Ps now, const Post& post);
    void stream_ended(std::uint32_t stream, Ps now);
    void hold_devices(std::uint32_t pipeline, Ps now);
    void let_devices_go(std::uint32_t pipeline, Ps now);
    void end_kernel(std::uint32_t op, Ps now);
    void predict_kernels();
    void finish(std::uint32_t op, Ps now);
    void release(std::uint32_t op, Ps now);
    void push(Ps time, Event::Kind kind, std::uint32_t index, std::uint32_t version = 0) {
        events_.push({on_clock(time), kind, index, version});
    }

    const Schedule& schedule_;
    Traffic& traffic_;
    Kernels kernels_running_;
    Dependents dependents_;
    Kept kept_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::vector<Ps> ready_at_;  // per transfer
    std::vector<std::uint32_t> op_of_pipeline_, op_of_compute_;
    std::vector<std::uint32_t> streams_left_, releases_left_;
    std::vector<Ps> pipeline_ready_, path_latency_;
    Chains kernels_, hosts_;
    std::vector<std::uint32_t> chain_of_compute_, chain_of_delay_, op_of_delay_;
    std::vector<bool> queued_;  // computes and delays whose dependencies are met, by operation
    std::vector<bool> done_;
    std::size_t left_;
    std::vector<Completion> completions_;
};

}  // namespace fabricast::packet
