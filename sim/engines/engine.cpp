#include "sim/engines/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/input_error.hpp"
#include "sim/engines/common/described.hpp"
#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/pipeline_form.hpp"
#include "sim/engines/memory.hpp"
#include "sim/engines/replay_with.hpp"

namespace fabricast {

namespace {

DeviceLimits limits_of(const Fabric& fabric, const std::vector<LinkEvent>& slow) {
    const GpuSpec& gpu = fabric.node().gpu;
    DeviceLimits limits{static_cast<double>(gpu.sms), gpu.memory_bandwidth};
    for (const LinkEvent& event : slow) {
        limits.slow[event.device].push_back({event.at, event.share});
    }
    for (auto& [device, changes] : limits.slow) {
        std::ranges::stable_sort(changes, {}, &PaceChange::at);
    }
    return limits;
}

// Seconds that an operation takes if it has the machine to itself.
double seconds_alone(const ReplayTask& task, const Network& network, OpId op) {
    const Schedule& schedule = task.schedule;
    const std::uint32_t detail = schedule.detail(op);
    switch (schedule.kind(op)) {
        case OpKind::transfer: {
            const Transfer& t = schedule.transfers[detail];
            const double rate = rate_alone(network, network.class_of_connection[t.connection], 1);
            return to_seconds(t.start) + to_seconds(network.latency_of_connection[t.connection]) +
                   static_cast<double>(t.bytes.count) * schedule.connections[t.connection].wire_ratio / rate;
        }
        case OpKind::pipeline: {
            const Pipeline& p = schedule.pipelines[detail];
            const PipelineForm form(schedule, p, network.hops_of(detail));
            const double tau = form.tau(rate_alone(network, network.class_of_pipeline[detail], p.weight));
            return to_seconds(p.start) + form.running(tau) + form.draining(tau);
        }
        case OpKind::compute:
            return kernel_times(task.device, {&schedule.computes[detail]}).front();
        case OpKind::delay:
            break;
    }
    return to_seconds(schedule.delays[detail].duration);
}

}  // namespace

ReplayTask accepted_task(const EngineTraits& engine, const Fabric& fabric, const Schedule& schedule,
                         const std::vector<LinkEvent>& events, const Watch& watch) {
    check_memory(engine, fabric, schedule);
    if (!engine.events && !events.empty()) {  // no answer is better than a wrong one
        throw MissingEngine(fmt::format("engine {} knows no link events (accepted: {})", engine.name,
                                        joined(engine_names(&EngineTraits::events))));
    }
    if (const std::string_view why = engine.missing(); !why.empty()) {
        throw MissingEngine(std::string(why));
    }
    std::vector<LinkEvent> of_links;
    std::vector<LinkEvent> of_devices;
    std::ranges::partition_copy(events, std::back_inserter(of_devices), std::back_inserter(of_links),
                                &LinkEvent::of_device);
    return {fabric, schedule, limits_of(fabric, of_devices), std::move(of_links), watch};
}

std::string longest_operation(const ReplayTask& task) {
    const Network network = make_fluid_network(task.fabric, task.schedule, {});
    double most = -1;
    OpId longest{};
    for (std::uint32_t op = 0; op < task.schedule.size(); ++op) {
        if (const double seconds = seconds_alone(task, network, OpId{op}); seconds > most) {
            most = seconds;
            longest = OpId{op};
        }
    }
    return fmt::format("{} alone takes {:g} s", described(task.fabric, task.schedule, longest), most);
}

Timeline replay(const Engine& engine, const Fabric& fabric, const Schedule& schedule,
                const std::vector<LinkEvent>& events, const Watch& watch) {
    return replay_with(engine, fabric, schedule, events, watch);
}

}  // namespace fabricast
