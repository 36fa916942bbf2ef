// The life of an operation: its dependencies are met, it queues up, runs, and ends.

#include "sim/engines/flow/fluid_replay.hpp"

namespace fabricast {

// Called when the operation's dependencies are met.
void FluidReplay::start(std::uint32_t op) {
    kept_.started(op, now_);
    switch (kind(op)) {
        case OpKind::transfer: {
            const Transfer& t = message(op);
            const Time enters = now_ + t.start + latency_of_connection_[t.connection];
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

void FluidReplay::queue_up(std::uint32_t op) {
    queued_up_[op] = true;
    if (chains_.turn(chain_of(op)) == op) {
        go(op);
    }
}

// Called when it is the operation's turn: the message flows, the kernel runs, or the host is busy.
void FluidReplay::go(std::uint32_t op) {
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

void FluidReplay::flow(std::uint32_t op) {
    const Transfer& t = message(op);
    const double bytes = static_cast<double>(t.bytes.count) * schedule_.connections[t.connection].wire_ratio;
    if (bytes <= 0) {
        ended_.push_back(op);
        return;
    }
    const std::uint32_t cls = class_of_connection_[t.connection];
    if (is_coupled(cls)) {
        bytes_of_class_[cls] += bytes;
        coupled_->join(now_, t.connection, op, bytes);
        coupled_changed_ = true;
    } else {
        send(cls, op, bytes);
    }
}

void FluidReplay::send(std::uint32_t cls, std::uint32_t op, double bytes) {
    bytes_of_class_[cls] += bytes;
    clocks_[cls].add(now_, bytes, op);
    shares_.change(cls, 1);
}

// The devices' kernels share what the pipeline leaves them; a pipeline that makes no progress still holds its SMs.
void FluidReplay::hold_devices(std::uint32_t pipeline) {
    const double seconds = pipelines_[pipeline].seconds;
    for (const Occupancy& occupancy : occupancies(pipeline)) {
        kernels_.hold(pipeline, occupancy, seconds > 0 ? occupancy.memory_bytes / seconds : 0, now_);
    }
}

void FluidReplay::end(std::uint32_t op) {
    if (kind(op) == OpKind::pipeline) {
        for (const Occupancy& occupancy : occupancies(detail(op))) {
            kernels_.let_go(detail(op), occupancy, now_);
        }
        // release_pipeline() has already reported the release.
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

void FluidReplay::start_pipeline(std::uint32_t pipeline) {
    shares_.change(class_of_pipeline_[pipeline], schedule_.pipelines[pipeline].weight);
}

void FluidReplay::release_pipeline(std::uint32_t pipeline) {
    const std::uint32_t op = pipelines_[pipeline].op;
    shares_.change(class_of_pipeline_[pipeline], -schedule_.pipelines[pipeline].weight);
    kept_.released(op, now_);
    dependents_.reached(op, DependsOn::release, [&](std::uint32_t next) { ready_.push_back(next); });
    const Time finish = pipelines_[pipeline].finish();
    if (finish <= now_) {
        ended_.push_back(op);
    } else {
        push(finish, EventKind::pipeline_ends, op);
    }
}

}  // namespace fabricast
