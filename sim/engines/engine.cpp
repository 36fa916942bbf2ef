#include "sim/engines/engine.hpp"

#include <algorithm>
#include <iterator>

#include "sim/engines/analytic/analytic.hpp"
#include "sim/engines/flow/replay.hpp"
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

struct Run {
    const Fabric& fabric;
    const Schedule& schedule;
    const std::vector<LinkEvent>& events;  // of links
    const std::vector<LinkEvent>& slow;    // of devices
    const Watch& watch;

    Timeline operator()(const Flow& flow) const {
        const Network network = lower(fabric, schedule, events);
        try {
            return replay_flow(network, schedule, limits_of(fabric, slow), flow, events, watch);
        } catch (const Stuck& stuck) {
            throw CannotEnd(describe(stuck, fabric, schedule, network));
        }
    }
    Timeline operator()(const Analytic&) const {
        refuse_events("analytic");
        return replay_analytic(lower(fabric, schedule, {}), schedule, limits_of(fabric));
    }
    Timeline operator()(const SimGrid&) const {
        refuse_events("simgrid");
        return replay_simgrid(fabric, schedule, limits_of(fabric), watch);
    }

    Timeline operator()(const Packet& packet) const {
        return replay_packets(fabric, schedule, limits_of(fabric, slow), packet, events, watch);
    }

    // Better none than a wrong answer.
    void refuse_events(const std::string& engine) const {
        if (!events.empty() || !slow.empty()) {
            throw MissingEngine("engine " + engine + " knows no link events; use flow");
        }
    }
};

}  // namespace

Timeline replay(const Engine& engine, const Fabric& fabric, const Schedule& schedule,
                const std::vector<LinkEvent>& events, const Watch& watch) {
    const auto of_links = [](const LinkEvent& event) { return !event.of_device(); };
    std::vector<LinkEvent> links;
    std::vector<LinkEvent> slow;
    std::ranges::partition_copy(events, std::back_inserter(links), std::back_inserter(slow), of_links);
    return std::visit(Run{fabric, schedule, links, slow, watch}, engine);
}

}  // namespace fabricast
