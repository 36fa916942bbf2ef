#include "sim/engines/flow/fluid_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/engines/common/accounting.hpp"

namespace fabricast::inline flow {

FluidReplay::FluidReplay(const ReplayTask& task) : task_(task) {
    pipelines_.reserve(schedule_.pipelines.size());
    for (std::uint32_t p = 0; p < schedule_.pipelines.size(); ++p) {
        pipelines_.push_back({PipelineForm(schedule_, schedule_.pipelines[p], network_.hops_of(p))});
        pipeline_of_class_[class_of_pipeline_[p]] = p;
        bytes_of_class_[class_of_pipeline_[p]] += wire_bytes(schedule_.pipelines[p]);
    }
}

Timeline FluidReplay::run() {
    for (std::uint32_t e = 0; e < events_.size(); ++e) { push(events_[e].at, EventKind::link_changes, e); }
    progress_.begin([&](OpId op) { ready_.push_back(op); });
    settle_operations();
    settle_rates();
    // Each iteration is one tick: everything that is due ends together, then what waited for it starts, and only then
    // are rates computed anew, so that a tick in which one flow leaves and another of its class enters costs nothing.
    std::vector<Event> tick;
    while (!progress_.finished() && !queue_.empty()) {
        watching_.poll(progress_.count(), schedule_.size());
        now_ = {queue_.pop_tick(tick)};
        for (const Event& event : tick) { take(event); }
        settle_operations();
        settle_rates();
    }
    if (!progress_.finished() && too_long_) { refuse_time(); }
    if (!progress_.finished()) { throw CannotEnd(why_stuck()); }
    return timeline();
}

void FluidReplay::take(const Event& event) {
    switch (event.kind()) {
        case EventKind::message_enters: entered_.push_back(OpId{event.id()}); break;
        case EventKind::class_due:
            if (event.is_of(clocks_[event.id()].version)) {
                clocks_[event.id()].take_due(now_, [&](OpId op) {
                    ended_.push_back(op);
                    shares_.change(event.id(), -1);
                });
                shares_.touch(event.id());
            }
            break;
        case EventKind::coupled_due:
            if (event.is_of(coupled_version_)) {
                coupled_->take_due(now_, [&](OpId op) { ended_.push_back(op); });
                coupled_changed_ = true;
            }
            break;
        case EventKind::pipeline_starts:
            shares_.change(class_of_pipeline_[event.id()], schedule_.pipelines[event.id()].weight);
            break;
        case EventKind::pipeline_due:
            if (event.is_of(pipelines_[event.id()].version)) { release_pipeline(event.id()); }
            break;
        case EventKind::message_ends:
        case EventKind::pipeline_ends:
        case EventKind::delay_ends: ended_.push_back(OpId{event.id()}); break;
        case EventKind::kernels_due:
            kernels_.take_due(event.id(), event.version(), now_, [&](OpId op) { ended_.push_back(op); });
            break;
        case EventKind::link_changes: change_link(event.id()); break;
    }
}

// Handles operations in order of id within each kind of step, whatever their order in the queue was.
void FluidReplay::settle_operations() {
    const auto each = [&](std::vector<OpId>& list, auto&& step) {
        scratch_.swap(list);
        list.clear();
        if (!std::is_sorted(scratch_.begin(), scratch_.end())) { std::sort(scratch_.begin(), scratch_.end()); }
        for (const OpId op : scratch_) { step(op); }
    };
    while (!ended_.empty() || !entered_.empty() || !ready_.empty()) {
        each(ended_, [&](OpId op) { end(op); });
        each(entered_, [&](OpId op) { queue_up(op); });
        each(ready_, [&](OpId op) { start(op); });
    }
}

void FluidReplay::settle_rates() {
    for (const std::uint32_t cls : shares_.settle(now_)) {
        if (pipeline_of_class_[cls] != Network::no_row) {
            predict_pipeline(pipeline_of_class_[cls]);
        } else {
            predict_class(cls);
        }
    }
    if (may_couple_ && !coupling_ && shares_.effort() > 1000) { couple(); }
    if (coupled_changed_) {
        coupled_changed_ = false;
        ++coupled_version_;
        if (const Time due = coupled_->settle(now_); coupled_->size() > 0) {
            push(due, EventKind::coupled_due, 0, coupled_version_);
        } else {
            coupling_ = false;  // the next phase may be of another kind
            shares_.forget_effort();
        }
    }
    kernels_.update([&](Time at, std::uint32_t device, std::uint32_t version) {
        push(at, EventKind::kernels_due, device, version);
    });
}

void FluidReplay::predict_class(std::uint32_t cls) {
    ServiceClock& clock = clocks_[cls];
    ++clock.version;
    // A flow that crosses no links ends in the tick in which it begins.
    const double rate = std::min(shares_.rate(cls), 1e30);
    if (clock.marks.empty()) {
        clock.rate = rate;
        return;
    }
    if (rate != clock.rate) {
        clock.advance(now_);
        clock.rate = rate;
    }
    if (rate > 0) { push(clock.due(), EventKind::class_due, cls, clock.version); }
}

void FluidReplay::predict_pipeline(std::uint32_t pipeline) {
    RunningPipeline& running = pipelines_[pipeline];
    ++running.version;
    const double rate = shares_.rate(class_of_pipeline_[pipeline]);
    if (rate > 0) {
        running.set_rate(now_, rate);
        push(running.release(), EventKind::pipeline_due, pipeline, running.version);
    } else {
        running.pause(now_);
    }
    if (shares_.members(class_of_pipeline_[pipeline]) > 0) { kernels_.hold(pipeline, running.seconds, now_); }
}

// Classes of one connection, all of whose links are its own for good: nothing else changes what its messages get. None
// where messages may be coupled, since when that is depends on how many classes change at once.
std::vector<bool> FluidReplay::find_private() const {
    std::vector<std::uint32_t> connections(network_.classes.size(), 0);
    for (const std::uint32_t cls : network_.class_of_connection) { ++connections[cls]; }
    for (const std::uint32_t cls : network_.class_of_pipeline) { connections[cls] = 0; }
    std::vector<bool> is_private(network_.classes.size(), false);
    const auto shares = [](const FlowClass& cls) { return cls.shared < cls.end; };
    if (!events_.empty() || (may_couple_ && std::ranges::any_of(network_.classes, shares))) { return is_private; }
    for (std::size_t cls = 0; cls < is_private.size(); ++cls) {
        is_private[cls] = connections[cls] == 1 && !shares(network_.classes[cls]);
    }
    return is_private;
}

// Makes every message on a shared row one of the coupled flows, from now on.
void FluidReplay::couple() {
    if (!coupled_) { coupled_ = std::make_unique<CoupledFlows>(network_, schedule_.connections.size()); }
    coupling_ = true;
    coupled_changed_ = true;
    for (std::uint32_t cls = 0; cls < clocks_.size(); ++cls) {
        ServiceClock& clock = clocks_[cls];
        if (!is_coupled(cls) || clock.marks.empty()) { continue; }
        clock.advance(now_);
        shares_.change(cls, -static_cast<double>(clock.marks.size()));
        for (const ServiceClock::Mark& mark : clock.marks) {
            coupled_->join(now_, message(mark.op).connection, mark.op, mark.bytes - clock.served);
        }
        clock.marks.clear();
        ++clock.version;
    }
    shares_.settle(now_);
}

void FluidReplay::change_link(std::uint32_t event) {
    const std::uint32_t row = network_.row_of_event[event];
    if (row != Network::no_row) { shares_.set_capacity(row, network_.capacity[row] * events_[event].share); }
    for (const Detour& detour : network_.detours) {
        if (detour.event != event) { continue; }
        if (detour.pipeline) {
            divert_pipeline(detour.user, detour);
        } else {
            divert_messages(detour.user, detour.cls);
            latency_of_connection_[detour.user] = detour.latency;
        }
    }
}

// What is left of the connection's messages continues in another class; nothing that has arrived is sent again.
void FluidReplay::divert_messages(std::uint32_t connection, std::uint32_t cls) {
    ServiceClock& from = clocks_[class_of_connection_[connection]];
    from.advance(now_);
    from.take_if([&](OpId op) { return message(op).connection == connection; },
                 [&](OpId op, double bytes_left) {
                     shares_.change(class_of_connection_[connection], -1);
                     bytes_of_class_[class_of_connection_[connection]] -= bytes_left;
                     send(cls, op, bytes_left);
                 });
    shares_.touch(class_of_connection_[connection]);
    class_of_connection_[connection] = cls;
}

// The pipeline keeps the share of its running time that has passed.
void FluidReplay::divert_pipeline(std::uint32_t pipeline, const Detour& detour) {
    const Pipeline& p = schedule_.pipelines[pipeline];
    RunningPipeline& running = pipelines_[pipeline];
    const std::uint32_t from = std::exchange(class_of_pipeline_[pipeline], detour.cls);
    pipeline_of_class_[detour.cls] = pipeline;
    running.pause(now_);
    running.form = PipelineForm(schedule_, p, std::span(network_.hops).subspan(detour.first_hop));
    const double bytes = wire_bytes(p) * (1 - running.done);
    bytes_of_class_[from] -= bytes;
    bytes_of_class_[detour.cls] += bytes;
    if (shares_.members(from) > 0) {
        shares_.change(from, -p.weight);
        shares_.change(detour.cls, p.weight);
    }
}

// Names an operation that cannot end and the link without capacity that it crosses, if there is one.
std::string FluidReplay::why_stuck() const {
    for (std::uint32_t cls = 0; cls < network_.classes.size(); ++cls) {
        if (shares_.members(cls) == 0 || shares_.rate(cls) > 0) { continue; }
        const FlowClass& c = network_.classes[cls];
        const auto crossed = std::span(network_.crossing_row).subspan(c.begin, c.end - c.begin);
        const auto down = std::ranges::find_if(crossed, [&](std::uint32_t row) { return shares_.capacity(row) <= 0; });
        if (down != crossed.end()) {
            const std::uint32_t pipeline = pipeline_of_class_[cls];
            const OpId op = pipeline != Network::no_row ? pipelines_[pipeline].op : clocks_[cls].marks.front().op;
            return fmt::format("{} cannot end: link {} is down", described(fabric_, schedule_, op),
                               fabric_.link_name(network_.parts[network_.part_begin(*down)].first));
        }
    }
    return described(fabric_, schedule_, progress_.first_unfinished()) + " cannot end";
}

Timeline FluidReplay::timeline() {
    Timeline result = progress_.timeline();
    result.solves = shares_.solves() + (coupled_ ? coupled_->solves() : 0);
    const auto busy_of_class = [&](std::uint32_t cls) {
        return shares_.busy_of_class(cls) + (coupled_ ? coupled_->busy_of_class(cls) : Duration{});
    };
    const auto busy_of_row = [&](std::uint32_t row) {
        return shares_.busy_of_row(row) + (coupled_ ? coupled_->busy_of_row(row) : Duration{});
    };
    account(network_, {bytes_of_class_, busy_of_class, busy_of_row, events_}, result);
    return result;
}

Timeline replay_task(const Flow&, const ReplayTask& task) { return FluidReplay(task).run(); }

}  // namespace fabricast::inline flow
