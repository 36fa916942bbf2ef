#include "sim/engines/engine.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>

#include "base/error.hpp"
#include "base/process_memory.hpp"
#include "sim/engines/common/make_fluid_network.hpp"

namespace fabricast::inline engines {

namespace {

DeviceLimits limits_of(const Fabric& fabric, const std::vector<LinkEvent>& slow) {
    const GpuSpec& gpu = fabric.node().gpu;
    DeviceLimits limits{static_cast<double>(gpu.sms), gpu.memory_bandwidth};
    for (const LinkEvent& event : slow) { limits.slow[event.device].push_back({event.at, event.share}); }
    for (auto& [device, changes] : limits.slow) { std::ranges::stable_sort(changes, {}, &PaceChange::at); }
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
                   schedule.wire_bytes(t) / rate;
        }
        case OpKind::pipeline: {
            const PipelineAlone alone = pipeline_alone(network, schedule, detail);
            return to_seconds(schedule.pipelines[detail].start) + alone.running + alone.draining;
        }
        case OpKind::compute: return kernel_times(task.device, {&schedule.computes[detail]}).front();
        case OpKind::delay: break;
    }
    return to_seconds(schedule.delays[detail].duration);
}

}  // namespace

void check_memory(const EngineTraits& engine, const Fabric& fabric, const Schedule& schedule,
                  std::optional<double> given) {
    const MemoryNeed need = engine.memory(fabric, schedule);
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    constexpr double anywhere = 64 << 20;  // so little that it is not compared with the machine's memory
    const double memory = given ? *given : need.bytes() <= anywhere ? unlimited : memory_here();
    if (need.bytes() <= memory) { return; }
    constexpr double gibibyte = 1 << 30;
    const auto nodes = static_cast<std::uint64_t>(fabric.node_count() * memory / need.bytes());
    throw TooLarge(
        "engine {} would hold {:.3g} {}, some {:.3g} GiB (found {:.3g} GiB of memory, enough for {:.3g}; accepted: {})",
        engine.name, need.count, need.what, need.bytes() / gibibyte, memory / gibibyte, memory / need.bytes_each,
        need.by_nodes ? fmt::format("up to {} such nodes", nodes) : "fewer nodes, or engine flow");
}

ReplayTask accepted_task(const EngineTraits& engine, const Fabric& fabric, const Schedule& schedule,
                         const std::vector<LinkEvent>& events, const Watch& watch) {
    check_memory(engine, fabric, schedule);
    if (!engine.events && !events.empty()) {  // no answer is better than a wrong one
        throw MissingEngine("engine {} knows no link events (accepted: {})", engine.name,
                            joined(engine_names(&EngineTraits::events)));
    }
    if (const std::string_view why = engine.missing(); !why.empty()) { throw MissingEngine(std::string(why)); }
    std::vector<LinkEvent> of_links;
    std::vector<LinkEvent> of_devices;
    std::ranges::partition_copy(events, std::back_inserter(of_devices), std::back_inserter(of_links),
                                &LinkEvent::of_device);
    return {fabric, schedule, limits_of(fabric, of_devices), std::move(of_links), watch};
}

void check_replay(const EngineTraits& engine, const ReplayTask& task, const Timeline& timeline) {
    if (!engine.lower_bound) { check_capacity(timeline, task.fabric); }
    if (!checking()) { return; }
    check_schedule(task.schedule);
    check_times(task.schedule, timeline);
    if (engine.whole_operations && task.events.empty()) { check_bytes(task.schedule, timeline, task.fabric); }
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

}  // namespace fabricast::inline engines
