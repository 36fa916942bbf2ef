#pragma once
// The state of one replay: the event queue, the operations that wait, flow and run, and their rates. The loop, rates
// and link changes are in fluid_replay.cpp, the life of an operation in operations.cpp.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/engines/common/kernels.hpp"
#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/progress.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/flow/clocks.hpp"
#include "sim/engines/flow/coupled.hpp"
#include "sim/engines/flow/event_queue.hpp"
#include "sim/engines/flow/flow.hpp"
#include "sim/engines/flow/shares.hpp"

namespace fabricast::inline flow {

enum class EventKind : std::uint8_t {
    message_enters,
    message_ends,
    class_due,
    coupled_due,
    pipeline_starts,
    pipeline_due,
    pipeline_ends,
    kernels_due,
    delay_ends,
    link_changes
};

// `id` is an operation, a class, a pipeline, a device or a link event. Predictions carry a version: a newer one for the
// same id invalidates the older one.
class Event {
public:
    Event(EventKind kind, std::uint32_t id, std::uint32_t version)
        : id_(id), tag_(static_cast<std::uint32_t>(kind) << version_bits | (version & version_mask)) {}

    EventKind kind() const { return static_cast<EventKind>(tag_ >> version_bits); }
    std::uint32_t id() const { return id_; }
    bool is_of(std::uint32_t version) const { return (tag_ & version_mask) == (version & version_mask); }
    std::uint32_t version() const { return tag_ & version_mask; }

private:
    static constexpr std::uint32_t version_bits = 28;
    static constexpr std::uint32_t version_mask = (1U << version_bits) - 1;
    std::uint32_t id_, tag_;  // eight bytes in total, since the queue moves millions of events
};

class FluidReplay {
public:
    explicit FluidReplay(const ReplayTask& task);
    Timeline run();

private:
    void take(const Event& event);
    void settle_operations();
    void settle_rates();

    void start(OpId op);
    void queue_up(OpId op) {
        if (progress_.queue_up(op)) { run(op); }
    }
    void run(OpId op);
    void end(OpId op);
    void flow(OpId op);
    void send(std::uint32_t cls, OpId op, double bytes);
    bool send_alone(OpId op, Time enters);
    void release_pipeline(std::uint32_t pipeline);
    void change_link(std::uint32_t event);
    void divert_messages(std::uint32_t connection, std::uint32_t cls);
    void divert_pipeline(std::uint32_t pipeline, const Detour& detour);

    std::vector<bool> find_private() const;
    void couple();
    bool is_coupled(std::uint32_t cls) const {
        return coupling_ && network_.classes[cls].shared < network_.classes[cls].end;
    }
    void predict_class(std::uint32_t cls);
    void predict_pipeline(std::uint32_t pipeline);
    // What would be due only at the end of time is not queued: a change of rates may bring it nearer.
    void push(Time at, EventKind kind, std::uint32_t id, std::uint32_t version = 0) {
        if (at < end_of_time) {
            queue_.push(at.ps, {kind, id, version});
        } else {
            too_long_ = true;
        }
    }
    void push(Time at, EventKind kind, OpId op) { push(at, kind, static_cast<std::uint32_t>(op)); }
    std::string why_stuck() const;
    Timeline timeline();

    const Transfer& message(OpId op) const { return schedule_.transfers[schedule_.detail(op)]; }

    const ReplayTask& task_;
    const Fabric& fabric_ = task_.fabric;
    const Schedule& schedule_ = task_.schedule;
    const std::vector<LinkEvent>& events_ = task_.events;
    const Network network_ = make_fluid_network(fabric_, schedule_, events_);
    Watching watching_{task_.watch};

    Time now_;
    EventQueue<Event> queue_;
    Shares shares_{network_};
    Progress progress_{schedule_};
    Kernels kernels_{schedule_, task_.device};
    std::vector<ServiceClock> clocks_ = std::vector<ServiceClock>(network_.classes.size());  // per class
    // Takes over all messages on shared rows while they all depend on each other.
    std::unique_ptr<CoupledFlows> coupled_;
    const bool may_couple_ = CoupledFlows::can_take(network_) && network_.detours.empty();
    const std::vector<bool> is_private_ = find_private();  // per class
    bool coupling_ = false;
    std::uint32_t coupled_version_ = 0;
    bool coupled_changed_ = false;
    std::vector<RunningPipeline> pipelines_;
    // Initially as in the network; they change when links go down or come up.
    std::vector<std::uint32_t> class_of_connection_ = network_.class_of_connection;
    std::vector<std::uint32_t> class_of_pipeline_ = network_.class_of_pipeline;
    std::vector<Duration> latency_of_connection_ = network_.latency_of_connection;
    // Wire bytes that its members have moved or will move.
    std::vector<double> bytes_of_class_ = std::vector<double>(network_.classes.size());
    std::vector<std::uint32_t> pipeline_of_class_ =
        std::vector<std::uint32_t>(network_.classes.size(), Network::no_row);

    // Operations that in this tick have ended, have reached the network, or may start.
    std::vector<OpId> ended_, entered_, ready_, scratch_;
    bool too_long_ = false;
};

}  // namespace fabricast::inline flow
