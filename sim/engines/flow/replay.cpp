#include "sim/engines/flow/replay.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "sim/engines/accounting.hpp"
#include "sim/engines/dependents.hpp"
#include "sim/engines/flow/clocks.hpp"
#include "sim/engines/flow/coupled.hpp"
#include "sim/engines/flow/event_queue.hpp"
#include "sim/engines/flow/kernels.hpp"
#include "sim/engines/flow/running_pipeline.hpp"
#include "sim/engines/flow/shares.hpp"
#include "sim/engines/kept.hpp"
#include "sim/engines/watching.hpp"

namespace fabricast {

namespace {

enum class EventKind : std::uint8_t {
    message_enters,
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
// same id makes the older void.
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
    std::uint32_t id_, tag_;  // eight bytes: the queue moves millions
};

class Replay {
public:
    Replay(const Network& network, const Schedule& schedule, const DeviceLimits& device, const Flow& options,
           const std::vector<LinkEvent>& events, const Watch& watch);
    Timeline run();

private:
    void take(const Event& event);
    void settle_operations();
    void settle_rates();

    void start(std::uint32_t op);
    void queue_up(std::uint32_t op);
    void go(std::uint32_t op);
    void end(std::uint32_t op);
    void flow(std::uint32_t op);
    void start_pipeline(std::uint32_t pipeline);
    void release_pipeline(std::uint32_t pipeline);
    void hold_devices(std::uint32_t pipeline);

    void couple();
    bool is_coupled(std::uint32_t cls) const {
        return coupling_ && network_.classes[cls].shared < network_.classes[cls].end;
    }
    Time on_grid(Time due) const;
    void predict_class(std::uint32_t cls);
    void predict_pipeline(std::uint32_t pipeline);
    void push(Time at, EventKind kind, std::uint32_t id, std::uint32_t version = 0) {
        queue_.push(at.ps, {kind, id, version});
    }
    Stuck stuck() const;
    Timeline timeline();

    OpKind kind(std::uint32_t op) const { return schedule_.kind(OpId{op}); }
    std::uint32_t detail(std::uint32_t op) const { return schedule_.detail(OpId{op}); }
    std::span<const Occupancy> occupancies(std::uint32_t pipeline) const {
        const Pipeline& p = schedule_.pipelines[pipeline];
        return std::span(schedule_.occupancies).subspan(p.first_occupancy, p.occupancy_count);
    }
    const Transfer& message(std::uint32_t op) const { return schedule_.transfers[detail(op)]; }
    std::uint32_t chain_of(std::uint32_t op) const;
    void build_chains();

    const Network& network_;
    const Schedule& schedule_;
    const Flow& options_;
    const std::vector<LinkEvent>& events_;
    Watching watching_;

    Time now_;
    EventQueue<Event> queue_;
    Shares shares_;
    Dependents dependents_;
    Kernels kernels_;
    std::vector<ServiceClock> clocks_;  // per class
    // Takes over all messages on shared rows while they all depend on each other.
    std::unique_ptr<CoupledFlows> coupled_;
    bool may_couple_;
    bool coupling_ = false;
    std::uint32_t coupled_version_ = 0;
    bool coupled_changed_ = false;
    std::vector<RunningPipeline> pipelines_;
    std::vector<std::uint32_t> pipeline_of_class_;

    // Chains: connections, then streams, then hosts. An operation goes when it has queued up and it is its turn.
    Chains chains_;
    std::vector<std::uint32_t> chain_of_compute_, chain_of_delay_;
    std::vector<bool> queued_up_;

    // Operations of this tick: over, at the network's edge, and free to start.
    std::vector<std::uint32_t> ended_, entered_, ready_, scratch_;
    Kept kept_;
    std::size_t finished_ = 0;
};

Replay::Replay(const Network& network, const Schedule& schedule, const DeviceLimits& device, const Flow& options,
               const std::vector<LinkEvent>& events, const Watch& watch)
    : network_(network),
      schedule_(schedule),
      options_(options),
      events_(events),
      watching_(watch),
      shares_(network),
      dependents_(schedule),
      kernels_(device),
      clocks_(network.classes.size()),
      may_couple_(CoupledFlows::can_take(network)),
      pipeline_of_class_(network.classes.size(), Network::no_row),
      chains_(schedule.size(), schedule.connections.size() + schedule.computes.size() + schedule.delays.size()),
      queued_up_(schedule.size(), false),
      kept_(schedule) {
    pipelines_.reserve(schedule.pipelines.size());
    for (std::uint32_t p = 0; p < schedule.pipelines.size(); ++p) {
        pipelines_.push_back({PipelineForm(schedule, schedule.pipelines[p], network.hops_of(p))});
        pipeline_of_class_[network.class_of_pipeline[p]] = p;
    }
    build_chains();
}

Timeline Replay::run() {
    const auto operations = static_cast<std::uint32_t>(schedule_.size());
    for (std::uint32_t e = 0; e < events_.size(); ++e) {
        push(events_[e].at, EventKind::link_changes, e);
    }
    for (std::uint32_t op = 0; op < operations; ++op) {
        if (dependents_.waiting(op) == 0) {
            ready_.push_back(op);
        }
    }
    settle_operations();
    settle_rates();
    // One turn is one tick: all that is due ends together, what waited for it starts, and only then are rates shared
    // anew, so that an instant in which one flow leaves and its like enters costs nothing.
    std::vector<Event> tick;
    while (finished_ < operations && !queue_.empty()) {
        watching_.poll(finished_, operations);
        now_ = {queue_.pop_tick(tick)};
        for (const Event& event : tick) {
            take(event);
        }
        settle_operations();
        settle_rates();
    }
    if (finished_ < operations) {
        throw stuck();
    }
    return timeline();
}

void Replay::take(const Event& event) {
    switch (event.kind()) {
        case EventKind::message_enters:
            entered_.push_back(event.id());
            break;
        case EventKind::class_due:
            if (event.is_of(clocks_[event.id()].version)) {
                clocks_[event.id()].take_due(now_, [&](std::uint32_t op) {
                    ended_.push_back(op);
                    shares_.change(event.id(), -1);
                });
                shares_.touch(event.id());
            }
            break;
        case EventKind::coupled_due:
            if (event.is_of(coupled_version_)) {
                coupled_->take_due(now_, [&](std::uint32_t op) { ended_.push_back(op); });
                coupled_changed_ = true;
            }
            break;
        case EventKind::pipeline_starts:
            start_pipeline(event.id());
            break;
        case EventKind::pipeline_due:
            if (event.is_of(pipelines_[event.id()].version)) {
                release_pipeline(event.id());
            }
            break;
        case EventKind::pipeline_ends:
        case EventKind::delay_ends:
            ended_.push_back(event.id());
            break;
        case EventKind::kernels_due:
            kernels_.take_due(event.id(), event.version(), now_, [&](std::uint32_t op) { ended_.push_back(op); });
            break;
        case EventKind::link_changes: {
            const std::uint32_t row = network_.row_of_event[event.id()];
            if (row != Network::no_row) {
                shares_.set_capacity(row, network_.capacity[row] * events_[event.id()].share);
            }
            break;
        }
    }
}

// In order of id within each kind of step, whatever order the queue had.
void Replay::settle_operations() {
    const auto each = [&](std::vector<std::uint32_t>& list, auto&& step) {
        scratch_.swap(list);
        list.clear();
        if (!std::is_sorted(scratch_.begin(), scratch_.end())) {
            std::sort(scratch_.begin(), scratch_.end());
        }
        for (const std::uint32_t op : scratch_) {
            step(op);
        }
    };
    while (!ended_.empty() || !entered_.empty() || !ready_.empty()) {
        each(ended_, [&](std::uint32_t op) { end(op); });
        each(entered_, [&](std::uint32_t op) { queue_up(op); });
        each(ready_, [&](std::uint32_t op) { start(op); });
    }
}

void Replay::settle_rates() {
    for (const std::uint32_t cls : shares_.settle(now_)) {
        if (pipeline_of_class_[cls] != Network::no_row) {
            predict_pipeline(pipeline_of_class_[cls]);
        } else {
            predict_class(cls);
        }
    }
    if (may_couple_ && !coupling_ && shares_.effort() > 1000) {
        couple();
    }
    if (coupled_changed_) {
        coupled_changed_ = false;
        ++coupled_version_;
        if (const Time due = coupled_->settle(now_); coupled_->size() > 0) {
            push(on_grid(due), EventKind::coupled_due, 0, coupled_version_);
        } else {
            coupling_ = false;  // the next phase may be of another kind
            shares_.forget_effort();
        }
    }
    kernels_.update([&](Time at, std::uint32_t device, std::uint32_t version) {
        push(at, EventKind::kernels_due, device, version);
    });
}

// Its dependencies are met.
void Replay::start(std::uint32_t op) {
    kept_.started(op, now_);
    switch (kind(op)) {
        case OpKind::transfer: {
            const Transfer& t = message(op);
            const Time enters = now_ + t.start + network_.latency_of_connection[t.connection];
            if (enters == now_) {
                entered_.push_back(op);
            } else {
                push(enters, EventKind::message_enters, op);
            }
            break;
        }
        case OpKind::pipeline:
            pipelines_[detail(op)].op = op;
            push(now_ + schedule_.pipelines[detail(op)].start, EventKind::pipeline_starts, detail(op));
            break;
        case OpKind::compute:
        case OpKind::delay:
            queue_up(op);
            break;
    }
}

void Replay::queue_up(std::uint32_t op) {
    queued_up_[op] = true;
    if (chains_.turn(chain_of(op)) == op) {
        go(op);
    }
}

// It is its turn: the message flows, the kernel runs, the host is busy.
void Replay::go(std::uint32_t op) {
    switch (kind(op)) {
        case OpKind::transfer:
            flow(op);
            break;
        case OpKind::compute:
            kernels_.start(op, schedule_.computes[detail(op)], now_);
            break;
        case OpKind::delay:
            push(now_ + schedule_.delays[detail(op)].duration, EventKind::delay_ends, op);
            break;
        case OpKind::pipeline:
            break;
    }
}

void Replay::flow(std::uint32_t op) {
    const Transfer& t = message(op);
    const double bytes = static_cast<double>(t.bytes.count) * schedule_.connections[t.connection].wire_ratio;
    if (bytes <= 0) {
        ended_.push_back(op);
        return;
    }
    const std::uint32_t cls = network_.class_of_connection[t.connection];
    if (is_coupled(cls)) {
        coupled_->join(now_, t.connection, op, bytes);
        coupled_changed_ = true;
        return;
    }
    clocks_[cls].add(now_, bytes, op);
    shares_.change(cls, 1);
}

// The devices' kernels share what the pipeline leaves them; a pipeline that stands still holds its SMs all the same.
void Replay::hold_devices(std::uint32_t pipeline) {
    const double seconds = pipelines_[pipeline].seconds;
    for (const Occupancy& occupancy : occupancies(pipeline)) {
        kernels_.hold(pipeline, occupancy, seconds > 0 ? occupancy.memory_bytes / seconds : 0, now_);
    }
}

void Replay::end(std::uint32_t op) {
    if (kind(op) == OpKind::pipeline) {
        for (const Occupancy& occupancy : occupancies(detail(op))) {
            kernels_.let_go(detail(op), occupancy, now_);
        }
        // Released when its stream had left, unless that is now.
        dependents_.reached(op, DependsOn::finish, [&](std::uint32_t next) { ready_.push_back(next); });
    } else {
        const std::uint32_t chain = chain_of(op);
        chains_.pass_turn(chain);
        const std::uint32_t next = chains_.turn(chain);
        if (next != Chains::none && queued_up_[next]) {
            go(next);
        }
        kept_.released(op, now_);
        dependents_.finished(op, [&](std::uint32_t waiting) { ready_.push_back(waiting); });
    }
    kept_.finished(op, now_);
    ++finished_;
}

void Replay::start_pipeline(std::uint32_t pipeline) {
    shares_.change(network_.class_of_pipeline[pipeline], schedule_.pipelines[pipeline].weight);
}

void Replay::release_pipeline(std::uint32_t pipeline) {
    const std::uint32_t op = pipelines_[pipeline].op;
    shares_.change(network_.class_of_pipeline[pipeline], -schedule_.pipelines[pipeline].weight);
    kept_.released(op, now_);
    dependents_.reached(op, DependsOn::release, [&](std::uint32_t next) { ready_.push_back(next); });
    const Time finish = pipelines_[pipeline].finish();
    if (finish <= now_) {
        ended_.push_back(op);
    } else {
        push(finish, EventKind::pipeline_ends, op);
    }
}

// From now on every message on a shared row is one of the coupled flows.
void Replay::couple() {
    if (!coupled_) {
        coupled_ = std::make_unique<CoupledFlows>(network_, schedule_.connections.size());
    }
    coupling_ = true;
    coupled_changed_ = true;
    for (std::uint32_t cls = 0; cls < clocks_.size(); ++cls) {
        ServiceClock& clock = clocks_[cls];
        if (!is_coupled(cls) || clock.marks.empty()) {
            continue;
        }
        clock.advance(now_);
        shares_.change(cls, -static_cast<double>(clock.marks.size()));
        for (const ServiceClock::Mark& mark : clock.marks) {
            coupled_->join(now_, message(mark.item).connection, mark.item, mark.bytes - clock.served);
        }
        clock.marks.clear();
        ++clock.version;
    }
    shares_.settle(now_);
}

// A merge tolerance lets completions happen only on multiples of it.
Time Replay::on_grid(Time due) const {
    const std::int64_t grid = options_.merge_tolerance.ps;
    return grid > 0 ? Time{(due.ps + grid - 1) / grid * grid} : due;
}

// The class's rate or its first member changed.
void Replay::predict_class(std::uint32_t cls) {
    ServiceClock& clock = clocks_[cls];
    ++clock.version;
    // A flow that crosses nothing is over in the tick that it began.
    const double rate = std::min(shares_.rate(cls), 1e30);
    if (clock.marks.empty()) {
        clock.rate = rate;
        return;
    }
    if (rate != clock.rate) {
        clock.advance(now_);
        clock.rate = rate;
    }
    if (rate > 0) {
        push(on_grid(clock.due()), EventKind::class_due, cls, clock.version);
    }
}

void Replay::predict_pipeline(std::uint32_t pipeline) {
    RunningPipeline& running = pipelines_[pipeline];
    ++running.version;
    const double rate = shares_.rate(network_.class_of_pipeline[pipeline]);
    if (rate > 0) {
        running.set_rate(now_, rate);
        push(running.release(), EventKind::pipeline_due, pipeline, running.version);
    } else {
        running.pause(now_);
    }
    if (shares_.members(network_.class_of_pipeline[pipeline]) > 0) {
        hold_devices(pipeline);
    }
}

std::uint32_t Replay::chain_of(std::uint32_t op) const {
    switch (kind(op)) {
        case OpKind::transfer:
            return message(op).connection;
        case OpKind::compute:
            return chain_of_compute_[detail(op)];
        default:
            return chain_of_delay_[detail(op)];
    }
}

void Replay::build_chains() {
    auto chain = static_cast<std::uint32_t>(schedule_.connections.size());
    std::map<std::pair<DeviceId, std::uint16_t>, std::uint32_t> streams;
    for (const Compute& compute : schedule_.computes) {
        const auto [place, is_new] = streams.try_emplace({compute.device, compute.stream}, chain);
        chain += is_new ? 1 : 0;
        chain_of_compute_.push_back(place->second);
    }
    std::map<std::uint32_t, std::uint32_t> hosts;
    for (const Delay& delay : schedule_.delays) {
        const auto [place, is_new] = hosts.try_emplace(delay.host, chain);
        chain += is_new ? 1 : 0;
        chain_of_delay_.push_back(place->second);
    }
    for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
        if (kind(op) != OpKind::pipeline) {
            chains_.append(chain_of(op), op);
        }
    }
}

Stuck Replay::stuck() const {
    for (std::uint32_t cls = 0; cls < network_.classes.size(); ++cls) {
        if (shares_.members(cls) == 0 || shares_.rate(cls) > 0) {
            continue;
        }
        const std::uint32_t pipeline = pipeline_of_class_[cls];
        const std::uint32_t op =
            pipeline != Network::no_row ? pipelines_[pipeline].op : clocks_[cls].marks.front().item;
        const FlowClass& c = network_.classes[cls];
        for (std::uint32_t x = c.begin; x < c.end; ++x) {
            if (shares_.capacity(network_.crossing_row[x]) <= 0) {
                return {OpId{op}, network_.crossing_row[x]};
            }
        }
    }
    return {};
}

Timeline Replay::timeline() {
    Timeline result;
    result.makespan = kept_.last_finish();
    result.kept = kept_.times();
    result.solves = shares_.solves() + (coupled_ ? coupled_->solves() : 0);
    const auto busy_of_class = [&](std::uint32_t cls) {
        return shares_.busy_of_class(cls) + (coupled_ ? coupled_->busy_of_class(cls) : Duration{});
    };
    const auto busy_of_row = [&](std::uint32_t row) {
        return shares_.busy_of_row(row) + (coupled_ ? coupled_->busy_of_row(row) : Duration{});
    };
    account(network_, {bytes_of_classes(network_, schedule_), busy_of_class, busy_of_row}, result);
    return result;
}

}  // namespace

Timeline replay_flow(const Network& network, const Schedule& schedule, const DeviceLimits& device, const Flow& options,
                     const std::vector<LinkEvent>& events, const Watch& watch) {
    return Replay(network, schedule, device, options, events, watch).run();
}

}  // namespace fabricast
