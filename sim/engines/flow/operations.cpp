// The life of an operation: its dependencies are met, it queues up, runs, and ends.

#include "sim/engines/flow/fluid_replay.hpp"

namespace fabricast::inline flow {

// Called when the operation's dependencies are met.
void FluidReplay::start(OpId op) {
    progress_.started(op, now_);
    switch (schedule_.kind(op)) {
        case OpKind::transfer: {
            const Transfer& t = message(op);
            const Time enters = now_ + t.start + latency_of_connection_[t.connection];
            if (progress_.is_turn_of(op) && send_alone(op, enters)) { break; }
            if (enters == now_) {
                entered_.push_back(op);
            } else {
                push(enters, EventKind::message_enters, op);
            }
            break;
        }
        case OpKind::pipeline: {
            const std::uint32_t pipeline = schedule_.detail(op);
            pipelines_[pipeline].op = op;
            push(now_ + schedule_.pipelines[pipeline].start, EventKind::pipeline_starts, pipeline);
            break;
        }
        case OpKind::compute:
        case OpKind::delay: queue_up(op); break;
    }
}

// Called when it is the operation's turn: the message flows, the kernel runs, or the host is busy.
void FluidReplay::run(OpId op) {
    switch (schedule_.kind(op)) {
        case OpKind::transfer: flow(op); break;
        case OpKind::compute: kernels_.start(op, now_); break;
        case OpKind::delay:
            push(now_ + schedule_.delays[schedule_.detail(op)].duration, EventKind::delay_ends, op);
            break;
        case OpKind::pipeline: break;
    }
}

void FluidReplay::flow(OpId op) {
    const Transfer& t = message(op);
    const double bytes = schedule_.wire_bytes(t);
    if (bytes <= 0) {
        ended_.push_back(op);
        return;
    }
    if (send_alone(op, now_)) { return; }
    const std::uint32_t cls = class_of_connection_[t.connection];
    if (is_coupled(cls)) {
        bytes_of_class_[cls] += bytes;
        coupled_->join(now_, t.connection, op, bytes);
        coupled_changed_ = true;
    } else {
        send(cls, op, bytes);
    }
}

// A message whose links are its own ends at a time that is known before it enters the network: one event instead of
// two. Returns false where that is not so. Precondition: no message before it on its connection is left.
bool FluidReplay::send_alone(OpId op, Time enters) {
    const Transfer& t = message(op);
    const std::uint32_t cls = class_of_connection_[t.connection];
    const double bytes = schedule_.wire_bytes(t);
    if (!is_private_[cls] || bytes <= 0) { return false; }
    const double rate = std::min(shares_.rate_alone(cls), 1e30);
    if (rate <= 0) { return false; }
    const Time ends = predicted(enters, bytes / rate);
    bytes_of_class_[cls] += bytes;
    shares_.use_alone(cls, ends - enters);
    push(ends, EventKind::message_ends, op);
    return true;
}

void FluidReplay::send(std::uint32_t cls, OpId op, double bytes) {
    bytes_of_class_[cls] += bytes;
    clocks_[cls].add(now_, bytes, op);
    shares_.change(cls, 1);
}

void FluidReplay::end(OpId op) {
    if (schedule_.kind(op) == OpKind::pipeline) { kernels_.let_go(schedule_.detail(op), now_); }
    progress_.ended(
        op, now_, [&](OpId next) { run(next); }, [&](OpId next) { ready_.push_back(next); });
}

void FluidReplay::release_pipeline(std::uint32_t pipeline) {
    const OpId op = pipelines_[pipeline].op;
    shares_.change(class_of_pipeline_[pipeline], -schedule_.pipelines[pipeline].weight);
    progress_.released(op, now_, [&](OpId next) { ready_.push_back(next); });
    const Time finish = pipelines_[pipeline].finish();
    if (finish <= now_) {
        ended_.push_back(op);
    } else {
        push(finish, EventKind::pipeline_ends, op);
    }
}

}  // namespace fabricast::inline flow
