#include "sim/engines/packet/shared.hpp"

// Makes what all domains see from the traffic: who sends where, what may be lost, and which flows have congestion
// control.

#include <bit>

namespace fabricast::inline packet {

Shared::Shared(Traffic& t, const Packet& o, std::uint32_t threads)
    : traffic(t), options(o), islands(make_islands(t, threads)), next(net.nodes.size(), never) {
    for (auto& array : wake) {
        array = std::make_unique<std::atomic<Ps>[]>(net.nodes.size());
        for (std::size_t n = 0; n < net.nodes.size(); ++n) { array[n].store(never); }
    }
    std::uint32_t words = 0;
    for (Node& node : net.nodes) {
        node.first_word = words;
        words += (node.port_count + 63) / 64;
    }
    active.assign(words, 0);
    const auto begins_at = [&](Port& port) {
        if (port.sender == none) {
            port.sender = static_cast<std::uint32_t>(senders.size());
            senders.emplace_back();
        }
    };
    for (std::size_t f = 0; f < t.flows.size(); ++f) {
        if (t.routes[f].hops > 0) { begins_at(net.ports[t.flows[f].port]); }
    }
    for (const Route& detour : net.detours) { begins_at(net.ports[net.port_of(detour, 0, 0)]); }
    lossy = !net.epochs.empty();
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        Port& port = net.ports[p];
        Node& node = net.nodes[port.from_node];
        port.serves = node.serves;
        port.simple = !port.serves && port.lanes == 1;
        node.shares_wire |= port.lanes > 1 || !t.readers.empty();
        corrupts |= net.counts[p].loss > 0;
        lossy |= port.control == Control::lossy ||
                 (port.control == Control::pfc && (o.headroom < 1 || o.pfc_watchdog.ps > 0));
    }
    lossy |= corrupts;
    if (lossy) { recoveries.resize(t.flows.size()); }
    for (const std::uint32_t f : t.controlled) {
        double line = 1e30;
        for (const std::uint32_t p : net.ports_of(t.routes[f])) {
            line = std::min(line, 1e12 * (1 << 24) / static_cast<double>(net.ports[p].inverse));
        }
        if (control == CongestionControl::timely) {
            timelies.emplace_back(line);
        } else if (control == CongestionControl::infiniband) {
            infiniband.emplace_back(options.infiniband, line);
        } else {
            dcqcn.emplace_back(options.dcqcn, line);
            if (options.series && rates.size() < rates_kept) { rates.emplace_back(); }
        }
        throttles.push_back({std::max(t.flows[f].pace, 1e12 / line)});
        const auto segment = static_cast<std::uint32_t>(options.timely.segment.count) / t.flows[f].unit;
        ack_every.push_back(std::bit_floor(std::max(1U, segment)));
    }
    if (options.series) {
        arrivals.resize(std::min(t.flows.size(), arrivals_kept));
        series.resize(net.port_count);
    }
}

}  // namespace fabricast::inline packet
