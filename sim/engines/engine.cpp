#include "sim/engines/engine.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "sim/engines/analytic/analytic.hpp"
#include "sim/engines/common/accounting.hpp"
#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/pipeline_form.hpp"
#include "sim/engines/flow/replay.hpp"
#include "sim/engines/memory.hpp"
#include "sim/engines/packet/replay.hpp"
#include "sim/engines/simgrid/simgrid.hpp"

namespace fabricast {

namespace {

DeviceLimits limits_of(const Fabric& fabric, const std::vector<LinkEvent>& slow = {}) {
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

std::string describe(const Stuck& stuck, const Fabric& fabric, const Schedule& schedule, const Network& network) {
    std::string text = "operation " + std::to_string(static_cast<std::uint32_t>(stuck.op));
    if (schedule.kind(stuck.op) == OpKind::transfer) {
        const Transfer& transfer = schedule.transfers[schedule.detail(stuck.op)];
        const PathQuery& path = schedule.connections[transfer.connection].path;
        text += " (" + fabric.device_name(path.src) + " to " + fabric.device_name(path.dst) + ")";
    }
    text += " cannot end";
    if (stuck.row != Network::no_row) {
        const LinkPart& part = network.parts[network.part_begin(stuck.row)];
        text += ": link " + fabric.link_name(part.first) + " is down";
    }
    return text;
}

struct Alone {
    double seconds;
    std::string who;
};

// How long an operation takes if it has the machine to itself.
Alone alone(const Fabric& fabric, const Schedule& schedule, const Network& network, OpId op) {
    const auto between = [&](const PathQuery& path) {
        return fabric.device_name(path.src) + " to " + fabric.device_name(path.dst);
    };
    const std::uint32_t detail = schedule.detail(op);
    switch (schedule.kind(op)) {
        case OpKind::transfer: {
            const Transfer& t = schedule.transfers[detail];
            const Connection& connection = schedule.connections[t.connection];
            const double rate = rate_alone(network, network.class_of_connection[t.connection], 1);
            return {to_seconds(t.start) + to_seconds(network.latency_of_connection[t.connection]) +
                        static_cast<double>(t.bytes.count) * connection.wire_ratio / rate,
                    between(connection.path)};
        }
        case OpKind::pipeline: {
            const Pipeline& p = schedule.pipelines[detail];
            const PipelineForm form(schedule, p, network.hops_of(detail));
            const double tau = form.tau(rate_alone(network, network.class_of_pipeline[detail], p.weight));
            return {to_seconds(p.start) + form.running(tau) + form.draining(tau),
                    p.stage_count > 0 ? between(schedule.stages[p.first_stage].hop) + " and on" : "a pipeline"};
        }
        case OpKind::compute: {
            const Compute& kernel = schedule.computes[detail];
            return {kernel_times(limits_of(fabric), {&kernel}).front(), fabric.device_name(kernel.device)};
        }
        case OpKind::delay:
            break;
    }
    return {to_seconds(schedule.delays[detail].duration), "a host"};
}

// Describes the operation that would take longest on its own.
std::string longest(const Fabric& fabric, const Schedule& schedule) {
    const Network network = make_fluid_network(fabric, schedule, {});
    Alone most{-1, ""};
    std::uint32_t which = 0;
    for (std::uint32_t op = 0; op < schedule.size(); ++op) {
        if (Alone one = alone(fabric, schedule, network, OpId{op}); one.seconds > most.seconds) {
            most = std::move(one);
            which = op;
        }
    }
    std::ostringstream text;
    text << "operation " << which << " (" << most.who << ") alone takes " << most.seconds << " s";
    return text.str();
}

struct Run {
    const Fabric& fabric;
    const Schedule& schedule;
    const std::vector<LinkEvent>& events;  // of links
    const std::vector<LinkEvent>& slow;    // of devices
    const Watch& watch;

    Timeline operator()(const Flow& flow) const {
        const Network network = make_fluid_network(fabric, schedule, events);
        try {
            return replay_flow(network, schedule, limits_of(fabric, slow), flow, events, watch);
        } catch (const Stuck& stuck) {
            throw CannotEnd(describe(stuck, fabric, schedule, network));
        }
    }
    Timeline operator()(const Analytic&) const {
        refuse_events("analytic");
        return replay_analytic(make_fluid_network(fabric, schedule, {}), schedule, limits_of(fabric));
    }
    Timeline operator()(const SimGrid&) const {
        refuse_events("simgrid");
        return replay_simgrid(fabric, schedule, limits_of(fabric), watch);
    }

    Timeline operator()(const Packet& packet) const {
        return replay_packets(fabric, schedule, limits_of(fabric, slow), packet, events, watch);
    }

    // No answer is better than a wrong one.
    void refuse_events(const std::string& engine) const {
        if (!events.empty() || !slow.empty()) {
            throw MissingEngine("engine " + engine + " knows no link events; use flow");
        }
    }
};

}  // namespace

Timeline replay(const Engine& engine, const Fabric& fabric, const Schedule& schedule,
                const std::vector<LinkEvent>& events, const Watch& watch) {
    check_memory(engine, fabric, schedule);
    const auto of_links = [](const LinkEvent& event) { return !event.of_device(); };
    std::vector<LinkEvent> links;
    std::vector<LinkEvent> slow;
    std::ranges::partition_copy(events, std::back_inserter(links), std::back_inserter(slow), of_links);
    try {
        const Timeline timeline = std::visit(Run{fabric, schedule, links, slow, watch}, engine);
        if (!std::holds_alternative<Analytic>(engine)) {  // a lower bound: may use more than a link has
            check_capacity(timeline, fabric);
        }
        return timeline;
    } catch (const OutOfRange& error) {
        throw OutOfRange(std::string(error.what()) + "; " + longest(fabric, schedule));
    }
}

}  // namespace fabricast
