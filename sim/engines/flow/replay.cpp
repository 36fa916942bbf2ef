#include "sim/engines/flow/replay.hpp"

#include <algorithm>
#include <map>

#include "sim/engines/common/accounting.hpp"
#include "sim/engines/flow/fluid_replay.hpp"

namespace fabricast {

FluidReplay::FluidReplay(const Network& network, const Schedule& schedule, const DeviceLimits& device,
                         const Flow& options, const std::vector<LinkEvent>& events, const Watch& watch)
    : network_(network),
      schedule_(schedule),
      options_(options),
      events_(events),
      watching_(watch),
      shares_(network),
      dependents_(schedule),
      kernels_(device),
      clocks_(network.classes.size()),
      may_couple_(CoupledFlows::can_take(network) && network.detours.empty()),
      class_of_connection_(network.class_of_connection),
      class_of_pipeline_(network.class_of_pipeline),
      latency_of_connection_(network.latency_of_connection),
      bytes_of_class_(network.classes.size(), 0),
      pipeline_of_class_(network.classes.size(), Network::no_row),
      chains_(schedule.size(), schedule.connections.size() + schedule.computes.size() + schedule.delays.size()),
      queued_up_(schedule.size(), false),
      kept_(schedule) {
    pipelines_.reserve(schedule.pipelines.size());
    for (std::uint32_t p = 0; p < schedule.pipelines.size(); ++p) {
        pipelines_.push_back({PipelineForm(schedule, schedule.pipelines[p], network.hops_of(p))});
        pipeline_of_class_[network.class_of_pipeline[p]] = p;
        bytes_of_class_[network.class_of_pipeline[p]] += wire_bytes(schedule.pipelines[p]);
    }
    build_chains();
}

Timeline FluidReplay::run() {
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
    // Each iteration is one tick: everything that is due ends together, then what waited for it starts, and only then
    // are rates computed anew, so that a tick in which one flow leaves and another of its class enters costs nothing.
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
    if (finished_ < operations && too_long_) {
        refuse_time();
    }
    if (finished_ < operations) {
        throw stuck();
    }
    return timeline();
}

void FluidReplay::take(const Event& event) {
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
        case EventKind::link_changes:
            change_link(event.id());
            break;
    }
}

// Handles operations in order of id within each kind of step, whatever their order in the queue was.
void FluidReplay::settle_operations() {
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

void FluidReplay::settle_rates() {
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

std::uint32_t FluidReplay::chain_of(std::uint32_t op) const {
    switch (kind(op)) {
        case OpKind::transfer:
            return message(op).connection;
        case OpKind::compute:
            return chain_of_compute_[detail(op)];
        default:
            return chain_of_delay_[detail(op)];
    }
}

void FluidReplay::build_chains() {
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

Stuck FluidReplay::stuck() const {
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

Timeline FluidReplay::timeline() {
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
    account(network_, {bytes_of_class_, busy_of_class, busy_of_row, events_}, result);
    return result;
}

Timeline replay_flow(const Network& network, const Schedule& schedule, const DeviceLimits& device, const Flow& options,
                     const std::vector<LinkEvent>& events, const Watch& watch) {
    return FluidReplay(network, schedule, device, options, events, watch).run();
}

}  // namespace fabricast
