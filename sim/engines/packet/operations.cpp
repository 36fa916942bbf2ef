#include "sim/engines/packet/operations.hpp"

#include <algorithm>

#include "sim/engines/common/ticks.hpp"

namespace fabricast::packet {

namespace {

constexpr std::size_t most_completions = 1 << 20;  // percentiles are of the first million

// Numbers the chains of what runs one after the other: streams of a device, delays of a host.
template <class Key>
std::uint32_t number(std::map<Key, std::uint32_t>& known, const Key& key) {
    return known.try_emplace(key, static_cast<std::uint32_t>(known.size())).first->second;
}

}  // namespace

Operations::Operations(const Fabric& fabric, const Schedule& schedule, Traffic& traffic, const DeviceLimits& device)
    : schedule_(schedule),
      traffic_(traffic),
      kernels_running_(device),
      dependents_(schedule),
      kept_(schedule),
      ready_at_(schedule.transfers.size()),
      op_of_pipeline_(schedule.pipelines.size()),
      op_of_compute_(schedule.computes.size()),
      streams_left_(schedule.pipelines.size()),
      releases_left_(schedule.pipelines.size()),
      pipeline_ready_(schedule.pipelines.size()),
      kernels_(0, 0),
      hosts_(0, 0),
      op_of_delay_(schedule.delays.size()),
      queued_(schedule.size(), false),
      done_(schedule.size(), false),
      left_(schedule.size()) {
    std::map<std::pair<DeviceId, std::uint16_t>, std::uint32_t> streams;
    std::map<std::uint32_t, std::uint32_t> hosts;
    for (const Compute& compute : schedule.computes) {
        chain_of_compute_.push_back(number(streams, {compute.device, compute.stream}));
    }
    for (const Delay& delay : schedule.delays) {
        chain_of_delay_.push_back(number(hosts, delay.host));
    }
    kernels_ = Chains(schedule.computes.size(), streams.size());
    hosts_ = Chains(schedule.delays.size(), hosts.size());
    for (std::uint32_t op = 0; op < schedule.size(); ++op) {
        const std::uint32_t detail = schedule.detail(OpId{op});
        if (schedule.kind(OpId{op}) == OpKind::compute) {
            op_of_compute_[detail] = op;
            kernels_.append(chain_of_compute_[detail], detail);
        } else if (schedule.kind(OpId{op}) == OpKind::delay) {
            op_of_delay_[detail] = op;
            hosts_.append(chain_of_delay_[detail], detail);
        } else if (schedule.kind(OpId{op}) == OpKind::pipeline) {
            op_of_pipeline_[detail] = op;
        }
    }
    for (std::size_t c = 0; c < schedule.connections.size(); ++c) {
        const bool local = traffic.routes[c].hops == 0;
        path_latency_.push_back(local ? on_clock(fabric.path(schedule.connections[c].path).latency) : 0);
    }
    for (const Stream& stream : traffic.streams) {
        if (traffic.routes[stream.flow].hops > 0) {
            ++streams_left_[stream.pipeline];
            releases_left_[stream.pipeline] += stream.releases ? 1U : 0U;
        }
    }
}

void Operations::begin() {
    for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
        if (dependents_.waiting(op) == 0) {
            push(0, Event::ready, op);
        }
    }
}

void Operations::add(const Done& done) {
    push(done.time, done.kind == Done::message ? Event::message : Event::stream, done.index);
}

OpId Operations::waiting() const {
    return OpId{static_cast<std::uint32_t>(std::find(done_.begin(), done_.end(), false) - done_.begin())};
}

void Operations::step(const Post& post) {
    const Event event = events_.top();
    events_.pop();
    handle(event, post);
}

void Operations::handle(const Event& event, const Post& post) {
    switch (event.kind) {
        case Event::ready:
            start(event.index, event.time, post);
            return;
        case Event::delay:
            finish(op_of_delay_[event.index], event.time);
            return;
        case Event::kernel: {
            std::vector<std::uint32_t> ended;
            kernels_running_.take_due(event.index, event.version, {event.time},
                                      [&](std::uint32_t op) { ended.push_back(op); });
            for (const std::uint32_t op : ended) {
                end_kernel(op, event.time);
            }
            predict_kernels();
            return;
        }
        case Event::message: {
            const std::uint32_t op = traffic_.op_of_transfer[event.index];
            if (completions_.size() < most_completions) {
                completions_.push_back(
                    {event.time - ready_at_[event.index], schedule_.transfers[event.index].bytes.count});
            }
            finish(op, event.time);
            return;
        }
        case Event::stream:
            stream_ended(event.index, event.time);
            return;
        case Event::holds:
            hold_devices(event.index, event.time);
            return;
        case Event::drained:
            let_devices_go(event.index, event.time);
            finish(op_of_pipeline_[event.index], event.time);
            return;
    }
}

void Operations::start(std::uint32_t op, Ps now, const Post& post) {
    kept_.started(op, {now});
    const std::uint32_t detail = schedule_.detail(OpId{op});
    switch (schedule_.kind(OpId{op})) {
        case OpKind::transfer:
            start_message(detail, now, post);
            return;
        case OpKind::pipeline:
            start_pipeline(detail, now, post);
            return;
        case OpKind::compute:
            queued_[op] = true;
            if (kernels_.turn(chain_of_compute_[detail]) == detail) {
                kernels_running_.start(op, schedule_.computes[detail], {now});
                predict_kernels();
            }
            return;
        case OpKind::delay:
            queued_[op] = true;
            if (hosts_.turn(chain_of_delay_[detail]) == detail) {
                push(now + on_clock(schedule_.delays[detail].duration), Event::delay, detail);
            }
            return;
    }
}

void Operations::start_message(std::uint32_t transfer, Ps now, const Post& post) {
    const std::uint32_t c = schedule_.transfers[transfer].connection;
    const Ps enters = on_clock(now + on_clock(schedule_.transfers[transfer].start));
    ready_at_[transfer] = now;
    if (traffic_.routes[c].hops == 0) {
        push(enters + path_latency_[c], Event::message, transfer);
        return;
    }
    const std::uint32_t f = traffic_.connections[c].flow;
    post({enters, traffic_.flows[f].node, ControlMessage::message, transfer, f});
}

void Operations::start_pipeline(std::uint32_t pipeline, Ps now, const Post& post) {
    pipeline_ready_[pipeline] = now;
    const Ps enters = on_clock(now + on_clock(schedule_.pipelines[pipeline].start));
    if (schedule_.pipelines[pipeline].occupancy_count > 0) {
        push(enters, Event::holds, pipeline);
    }
    if (streams_left_[pipeline] == 0) {
        push(enters, Event::drained, pipeline);
    }
    for (std::uint32_t s = traffic_.first_stream[pipeline]; s < traffic_.first_stream[pipeline + 1]; ++s) {
        const std::uint32_t f = traffic_.streams[s].flow;
        if (traffic_.routes[f].hops > 0) {
            post({enters, traffic_.flows[f].node, ControlMessage::stream, s, 0});
        }
    }
}

void Operations::stream_ended(std::uint32_t stream, Ps now) {
    const Stream& ended = traffic_.streams[stream];
    const std::uint32_t pipeline = ended.pipeline;
    if (ended.releases && --releases_left_[pipeline] == 0) {
        release(op_of_pipeline_[pipeline], now);
    }
    if (--streams_left_[pipeline] == 0) {
        const double draining = traffic_.draining[pipeline];
        push(now + on_clock(ticks_up(draining)), Event::drained, pipeline);
    }
}

void Operations::release(std::uint32_t op, Ps now) {
    kept_.released(op, {now});
    dependents_.reached(op, DependsOn::release, [&](std::uint32_t next) { push(now, Event::ready, next); });
}

void Operations::finish(std::uint32_t op, Ps now) {
    done_[op] = true;
    --left_;
    const auto ready = [&](std::uint32_t next) { push(now, Event::ready, next); };
    const OpKind kind = schedule_.kind(OpId{op});
    if (kind == OpKind::pipeline) {
        const std::uint32_t pipeline = schedule_.detail(OpId{op});
        if (completions_.size() < most_completions) {
            completions_.push_back({now - pipeline_ready_[pipeline],
                                    static_cast<std::int64_t>(schedule_.pipelines[pipeline].bytes_per_edge)});
        }
        dependents_.reached(op, DependsOn::finish, ready);
    } else {
        kept_.released(op, {now});
        dependents_.finished(op, ready);
    }
    kept_.finished(op, {now});
    if (kind == OpKind::delay) {
        const std::uint32_t chain = chain_of_delay_[schedule_.detail(OpId{op})];
        hosts_.pass_turn(chain);
        const std::uint32_t next = hosts_.turn(chain);
        if (next != Chains::none && queued_[op_of_delay_[next]]) {
            push(now + on_clock(schedule_.delays[next].duration), Event::delay, next);
        }
    }
}

// Occupies the SMs of a collective's channels, and the memory bandwidth of its traffic spread over the time that it
// would take alone.
void Operations::hold_devices(std::uint32_t pipeline, Ps now) {
    const Pipeline& p = schedule_.pipelines[pipeline];
    const double seconds = traffic_.seconds_alone[pipeline];
    for (std::uint32_t o = p.first_occupancy; o < p.first_occupancy + p.occupancy_count; ++o) {
        const Occupancy& held = schedule_.occupancies[o];
        kernels_running_.hold(pipeline, held, seconds > 0 ? held.memory_bytes / seconds : 0, {now});
    }
    predict_kernels();
}

void Operations::let_devices_go(std::uint32_t pipeline, Ps now) {
    const Pipeline& p = schedule_.pipelines[pipeline];
    for (std::uint32_t o = p.first_occupancy; o < p.first_occupancy + p.occupancy_count; ++o) {
        kernels_running_.let_go(pipeline, schedule_.occupancies[o], {now});
    }
    predict_kernels();
}

void Operations::end_kernel(std::uint32_t op, Ps now) {
    const std::uint32_t chain = chain_of_compute_[schedule_.detail(OpId{op})];
    kernels_.pass_turn(chain);
    const std::uint32_t next = kernels_.turn(chain);
    if (next != Chains::none && queued_[op_of_compute_[next]]) {
        kernels_running_.start(op_of_compute_[next], schedule_.computes[next], {now});
    }
    finish(op, now);
}

void Operations::predict_kernels() {
    kernels_running_.update(
        [&](Time at, std::uint32_t device, std::uint32_t version) { push(at.ps, Event::kernel, device, version); });
}

}  // namespace fabricast::packet
