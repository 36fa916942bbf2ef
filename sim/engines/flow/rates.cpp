// Rates of what is running: when it will end, and what happens when links change.

#include <algorithm>
#include <utility>

#include "sim/engines/flow/fluid_replay.hpp"

namespace fabricast::inline flow {

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

}  // namespace fabricast::inline flow
