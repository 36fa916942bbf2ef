#include "sim/engines/packet/shared.hpp"

// Makes what all domains see from the traffic: who sends where, what may be lost, and which flows have congestion
// control.

#include <bit>

namespace fabricast::packet {

Shared::Shared(Traffic& t, const Packet& o, std::uint32_t threads)
    : traffic(t),
      net(t.network),
      options(o),
      islands(make_islands(t, threads)),
      control(t.control),
      inboxes(net.nodes.size()),
      next(net.nodes.size(), never) {
    for (auto& array : wake) {
        array = std::make_unique<std::atomic<Ps>[]>(net.nodes.size());
        for (std::size_t n = 0; n < net.nodes.size(); ++n) {
            array[n].store(never);
        }
    }
    std::uint32_t words = 0;
    for (Node& node : net.nodes) {
        node.first_word = words;
        words += (node.port_count + 63) / 64;
    }
    active.assign(words, 0);
    for (const Flow& flow : t.flows) {
        if (t.routes[static_cast<std::size_t>(&flow - t.flows.data())].hops > 0 &&
            net.ports[flow.port].sender == none) {
            net.ports[flow.port].sender = static_cast<std::uint32_t>(senders.size());
            senders.emplace_back();
        }
    }
    for (const Route& detour : net.detours) {
        Port& port = net.ports[net.port_of(detour, 0, 0)];
        if (port.sender == none) {
            port.sender = static_cast<std::uint32_t>(senders.size());
            senders.emplace_back();
        }
    }
    lossy = !net.epochs.empty();
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        net.ports[p].serves = net.nodes[net.ports[p].from_node].serves;
        net.ports[p].simple = !net.ports[p].serves && net.ports[p].lanes == 1;
        net.nodes[net.ports[p].from_node].shares_wire |= net.ports[p].lanes > 1 || !t.readers.empty();
        const Control flow_control = net.ports[p].control;
        corrupts |= net.counts[p].loss > 0;
        lossy |= flow_control == Control::lossy ||
                 (flow_control == Control::pfc && (o.headroom < 1 || o.pfc_watchdog.ps > 0));
    }
    lossy |= corrupts;
    if (lossy) {
        recoveries.resize(t.flows.size());
    }
    for (const std::uint32_t f : t.controlled) {
        double line = 1e30;
        for (std::uint32_t hop = 0; hop < t.routes[f].hops; ++hop) {
            line = std::min(
                line, 1e12 * (1 << 24) / static_cast<double>(net.ports[net.port_of(t.routes[f], 0, hop)].inverse));
        }
        if (control == CongestionControl::timely) {
            timelies.emplace_back(line);
        } else if (control == CongestionControl::infiniband) {
            infiniband.emplace_back(options.infiniband, line);
        } else {
            dcqcn.emplace_back(options.dcqcn, line);
            if (options.series && rates.size() < rates_kept) {
                rates.emplace_back();
            }
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

}  // namespace fabricast::packet
