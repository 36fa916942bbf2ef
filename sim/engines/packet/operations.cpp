#include "sim/engines/packet/operations.hpp"

#include <utility>

namespace fabricast::inline packet {

Operations::Operations(const ReplayTask& task, Shared& shared)
    : schedule_(task.schedule), shared_(shared), reuse_(shared), kernels_(task.schedule, task.device) {
    for (std::size_t c = 0; c < schedule_.connections.size(); ++c) {
        const bool local = traffic_.routes[c].hops == 0;
        path_latency_.push_back(local ? on_clock(task.fabric.path(schedule_.connections[c].path).latency) : 0);
    }
}

void Operations::add(const Done& done) {
    if (done.kind == Done::message) {
        push(done.time, Event::message, traffic_.op_of_transfer[done.index]);
    } else {
        push(done.time, Event::stream, done.index);
    }
}

void Operations::step(const Post& post) {
    const Event event = events_.top();
    events_.pop();
    const Time now{event.time};
    const OpId op{event.index};
    switch (event.kind) {
        case Event::ready: start(op, event.time, post); return;
        case Event::delay: end(op, event.time); return;
        case Event::kernel: {
            std::vector<OpId> ended;
            kernels_.take_due(event.index, event.version, now, [&](OpId kernel) { ended.push_back(kernel); });
            for (const OpId kernel : ended) { end(kernel, event.time); }
            predict_kernels();
            return;
        }
        case Event::message: {
            const std::uint32_t transfer = schedule_.detail(op);
            complete(event.time - message_ready_[transfer]);
            end(op, event.time);
            return;
        }
        case Event::stream: stream_ended(event.index, event.time); return;
        case Event::holds:
            // The memory traffic is spread over the time that the pipeline would take alone.
            kernels_.hold(schedule_.detail(op), traffic_.shape(schedule_.detail(op)).seconds_alone, now);
            predict_kernels();
            return;
        case Event::part_released:
            if (event.version == reuse_.version(event.index)) {
                count_released(traffic_.op_of_pipeline[reuse_.pipeline_of(event.index)],
                               reuse_.part_released(event.index), event.time);
            }
            return;
        case Event::part_ended:
            if (event.version == reuse_.version(event.index)) {
                count_ended(traffic_.op_of_pipeline[reuse_.pipeline_of(event.index)], reuse_.part_ended(event.index),
                            event.time);
            }
            return;
        case Event::drained:
            if (event.version == pipelines_[schedule_.detail(op)].version) { drained(op, event.time); }
            return;
        case Event::enters: enter(op, event.time, post); return;
        case Event::unknown_from:
            if (event.version == reuse_.version(event.index)) {
                for (const Entry::Start& start : reuse_.unknown_from(event.index, event.time)) {
                    simulate(start, post);
                }
            }
            return;
    }
}

void Operations::start(OpId op, Ps now, const Post& post) {
    progress_.started(op, {now});
    switch (schedule_.kind(op)) {
        case OpKind::transfer: start_message(op, now, post); return;
        case OpKind::pipeline: start_pipeline(op, now, post); return;
        case OpKind::compute:
        case OpKind::delay:
            if (progress_.queue_up(op)) {
                run(op, now);
                predict_kernels();
            }
            return;
    }
}

void Operations::start_message(OpId op, Ps now, const Post& post) {
    const std::uint32_t transfer = schedule_.detail(op);
    const std::uint32_t c = schedule_.transfers[transfer].connection;
    const Ps enters = on_clock(now + on_clock(schedule_.transfers[transfer].start));
    message_ready_[transfer] = now;
    if (traffic_.routes[c].hops == 0) {
        push(enters + path_latency_[c], Event::message, op);
        return;
    }
    post({enters, traffic_.flows[c].node, ControlMessage::message, transfer, c});
}

void Operations::start_pipeline(OpId op, Ps now, const Post& post) {
    const std::uint32_t pipeline = schedule_.detail(op);
    pipelines_[pipeline].ready = now;
    const Ps enters = on_clock(now + on_clock(schedule_.pipelines[pipeline].start));
    if (schedule_.pipelines[pipeline].occupancy_count > 0) { push(enters, Event::holds, op); }
    if (reuse_.on()) {
        push(enters, Event::enters, op);
    } else {
        enter(op, enters, post);
    }
}

// Its streams enter the network, unless what happens then is known.
void Operations::enter(OpId op, Ps now, const Post& post) {
    const std::uint32_t pipeline = schedule_.detail(op);
    const Shape& shape = traffic_.shape(pipeline);
    Running& running = pipelines_[pipeline];
    running.streams_left = shape.streams;
    running.releases_left = shape.releasing;
    if (shape.streams == 0) { push(now, Event::drained, op, running.version); }
    if (!reuse_.on()) {
        begin(pipeline);
        for (std::uint32_t s = traffic_.first_stream[pipeline]; s < traffic_.first_stream[pipeline + 1]; ++s) {
            post_stream(s, now, post);
        }
        return;
    }
    const Entry entry = reuse_.enter(pipeline, now);
    for (const Entry::Resume& resume : entry.resumes) { post({resume.at, resume.node, ControlMessage::resume, 0, 0}); }
    for (const Entry::Start& start : entry.starts) { simulate(start, post); }
    for (const Entry::Skip& skip : entry.skips) {
        const std::uint32_t version = reuse_.version(skip.part);
        if (skip.released != never) { push(skip.released, Event::part_released, skip.part, version); }
        if (skip.ended != never) { push(skip.ended, Event::part_ended, skip.part, version); }
    }
    for (const Entry::Check& check : entry.checks) {
        push(check.at, Event::unknown_from, check.part, reuse_.version(check.part));
    }
}

void Operations::begin(std::uint32_t pipeline) {
    if (!std::exchange(pipelines_[pipeline].begun, true)) { shared_.begin(pipeline); }
}

// If it entered in the past, its links are behind, and nothing else is on them.
void Operations::simulate(const Entry::Start& start, const Post& post) {
    Running& running = pipelines_[start.pipeline];
    running.streams_left += start.streams_again;
    running.releases_left += start.releases_again;
    running.version += start.streams_again > 0 ? 1 : 0;
    if (!start.simulated) { return; }
    begin(start.pipeline);
    reuse_.for_each_stream(start.part, [&](std::uint32_t s) { post_stream(s, start.entered, post); });
}

void Operations::post_stream(std::uint32_t s, Ps entered, const Post& post) {
    const std::uint32_t f = traffic_.streams[s].flow;
    if (traffic_.routes[f].hops > 0) { post({entered, traffic_.flows[f].node, ControlMessage::stream, s, 0}); }
}

// Called when it is the turn of a kernel or a delay.
void Operations::run(OpId op, Ps now) {
    if (schedule_.kind(op) == OpKind::compute) {
        kernels_.start(op, {now});
    } else {
        push(now + on_clock(schedule_.delays[schedule_.detail(op)].duration), Event::delay, op);
    }
}

void Operations::stream_ended(std::uint32_t stream, Ps now) {
    const bool releases = traffic_.streams[stream].releases;
    const auto count = [&](std::uint32_t pipeline) {
        const OpId op = traffic_.op_of_pipeline[pipeline];
        if (releases) { count_released(op, 1, now); }
        count_ended(op, 1, now);
    };
    if (reuse_.on()) {
        reuse_.stream_ended(stream, now, count);
    } else {
        count(traffic_.streams[stream].pipeline);
    }
}

void Operations::count_released(OpId op, std::uint32_t streams, Ps now) {
    Running& running = pipelines_[schedule_.detail(op)];
    running.releases_left -= streams;
    if (running.releases_left == 0) { release(op, now); }
}

void Operations::count_ended(OpId op, std::uint32_t streams, Ps now) {
    Running& running = pipelines_[schedule_.detail(op)];
    running.streams_left -= streams;
    if (running.streams_left > 0) { return; }
    const double draining = traffic_.shape(schedule_.detail(op)).draining;
    push(now + on_clock(ticks_up(draining)), Event::drained, op, running.version);
}

void Operations::release(OpId op, Ps now) {
    if (std::exchange(pipelines_[schedule_.detail(op)].released, true)) { return; }  // when a part was not simulated
    progress_.released(op, {now}, [&](OpId next) { push(now, Event::ready, next); });
}

void Operations::drained(OpId op, Ps now) {
    const std::uint32_t pipeline = schedule_.detail(op);
    ended_.push_back({now, pipeline, pipelines_[pipeline].version});
    if (std::exchange(pipelines_[pipeline].ended, true)) { return; }
    kernels_.let_go(pipeline, {now});
    predict_kernels();
    complete(now - pipelines_[pipeline].ready);
    end(op, now);
}

void Operations::clear_up(Ps now, const Post& post) {
    for (; !ended_.empty() && ended_.front().at + shared_.settles < now; ended_.pop_front()) {
        const Ended& ended = ended_.front();
        Running& running = pipelines_[ended.pipeline];
        if (ended.version != running.version) { continue; }
        const std::vector<Entry::Start> starts =
            reuse_.on() ? reuse_.settled(ended.pipeline, now) : std::vector<Entry::Start>{};
        for (const Entry::Start& start : starts) { simulate(start, post); }
        if (starts.empty() && std::exchange(running.begun, false)) { shared_.end(ended.pipeline); }
    }
}

void Operations::end(OpId op, Ps now) {
    progress_.ended(
        op, {now}, [&](OpId next) { run(next, now); }, [&](OpId next) { push(now, Event::ready, next); });
}

}  // namespace fabricast::inline packet
