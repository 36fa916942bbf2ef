// Makes of the traffic what all domains see: who sends where, what may be lost, which flows have congestion control.

#include "sim/engines/packet/shared.hpp"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

namespace fabricast::inline packet {

Shared::Shared(Traffic& t, const Packet& o, std::uint32_t threads, bool by_buffers)
    : traffic(t),
      options(o),
      islands(make_islands(t, o, threads)),
      next(net.nodes.size(), never),
      apart_by_buffers(by_buffers) {
    std::uint32_t words = 0;
    for (Node& node : net.nodes) {
        node.first_word = words;
        for (std::uint32_t i = 0; i < node.port_count; ++i) {
            net.ports[node.first_port + i].active_bit = 64 * words + i;
        }
        words += (node.port_count + 63) / 64;
    }
    active.assign(words, 0);
    const auto begins_at = [&](Port& port) {
        if (port.sender == none) {
            port.sender = static_cast<std::uint32_t>(senders.size());
            senders.emplace_back();
        }
    };
    for (std::size_t f = 0; f < t.flow_patterns.size(); ++f) {
        if (t.route_patterns[f].hops == 0) { continue; }
        begins_at(net.ports[t.flow_patterns[f].port]);
        settles = std::max(settles, net.latency_of(t.route_patterns[f]));
    }
    for (const Stream& stream : t.stream_patterns) { settles = std::max(settles, stream.slot_delay); }
    for (const Route& detour : net.detours) { begins_at(net.ports[net.port_of(detour, 0, 0)]); }
    lossy = !net.epochs.empty();
    restarts = net.epochs.empty() && !repeats_selectively(o);
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        Port& port = net.ports[p];
        Node& node = net.nodes[port.from_node];
        port.serves = node.serves;
        port.simple = !port.serves && port.lanes == 1;
        node.shares_wire |= port.lanes > 1 || !t.readers.empty();
        corrupts |= net.counts[p].loss > 0;
        if (port.control == Control::pfc) {  // a pause's timer runs on
            settles = std::max(settles, port.latency + port.serialization(pause_bytes(o)));
        }
        lossy |= port.control == Control::lossy ||
                 (port.control == Control::pfc && (o.headroom < 1 || o.pfc_watchdog.ps > 0));
        restarts &= net.leaves_node(p) || port.control == Control::credits || port.control == Control::none;
    }
    lossy |= corrupts;
    restarts &= lossy;
    gated |= lossy;
    if (lossy) { recoveries.resize(t.flows.size()); }
    const std::size_t controllers = t.controlled.size();
    const auto sized = [&](CongestionControl of) { return of == control ? controllers : 0; };
    dcqcn = Sparse<Dcqcn>(sized(CongestionControl::dcqcn));
    timelies = Sparse<Timely>(sized(CongestionControl::timely));
    infiniband = Sparse<InfinibandRate>(sized(CongestionControl::infiniband));
    hpcc = Sparse<Hpcc>(sized(CongestionControl::hpcc));
    swift = Sparse<Swift>(sized(CongestionControl::swift));
    nscc = Sparse<Nscc>(sized(CongestionControl::nscc));
    if (trims() || control == CongestionControl::nscc) { set_trimming(); }
    if (control == CongestionControl::hpcc || control == CongestionControl::swift ||
        control == CongestionControl::nscc) {
        reserve_windows(controllers);
    }
    timed = control == CongestionControl::timely || windowed();
    throttles = Sparse<Throttle>(controllers);
    ack_every = Sparse<std::uint32_t>(controllers);
    control_flows(0, t.first_controller.front());
    if (options.series) {
        if (control == CongestionControl::dcqcn) { rates.resize(std::min(controllers, rates_kept)); }
        arrivals.resize(std::min(t.flows.size(), arrivals_kept));
        series.resize(net.port_count);
        watch();
    }
}

void Shared::watch() {
    if (traffic.watched == none) { return; }
    const auto ports = net.ports_of(traffic.route_patterns[traffic.watched_pattern]);
    const auto pauses =
        std::ranges::find_if(ports, [&](std::uint32_t p) { return net.ports[p].control == Control::pfc; });
    sequence = Sequence(traffic.watched, pauses == ports.end() ? none : *pauses);
}

void Shared::begin(std::uint32_t pipeline) {
    if (!traffic.all_begun) { traffic.begin(pipeline); }
    control_flows(traffic.first_controller[pipeline], traffic.first_controller[pipeline + 1]);
}

void Shared::end(std::uint32_t pipeline) {
    if (traffic.all_begun || lossy || options.series) { return; }  // what is sent again has timers; a film shows all
    const std::uint32_t first = traffic.first_controller[pipeline];
    const std::uint32_t count = traffic.first_controller[pipeline + 1] - first;
    for (std::uint32_t c = first; c < first + count; ++c) {
        if (keeps_ended) {
            ended.push_back(throttles[c]);
        } else {
            held += throttles[c].held;
            sending += throttles[c].sending();
        }
        throttles[c] = {};  // a block in use is not cleared
    }
    for_each_controlled([&](auto& array, std::size_t each) { array.release(first * each, count * each); });
    traffic.end(pipeline);
}

// There and back without queues: a packet's time on the slowest wire once, latencies twice.
Ps Shared::base_rtt(const Route& route, std::uint32_t bytes) const {
    if (control == CongestionControl::hpcc && options.hpcc.base_rtt.ps > 0) { return options.hpcc.base_rtt.ps; }
    return 2 * net.latency_of(route) + net.slowest_wire(route, bytes);
}

// A queue is full when it takes the longest round trip of all flows, and NSCC's switches mark from a fifth of that on
// (uet-htsim's defaults), unless the scenario says otherwise.
void Shared::set_trimming() {
    Ps longest = 0;
    for (std::size_t f = 0; f < traffic.flow_patterns.size(); ++f) {
        longest = std::max(longest, base_rtt(traffic.route_patterns[f], traffic.flow_patterns[f].unit));
    }
    trim_after = options.trim_after.ps > 0 ? options.trim_after.ps : longest;
    if (control != CongestionControl::nscc || options.ecn.thresholds_stated) { return; }
    if (!options.ecn.p_max_stated) { p_max = 1; }
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const auto full =
            static_cast<float>(static_cast<double>(trim_after) * (1 << 24) / static_cast<double>(net.ports[p].inverse));
        net.counts[p].k_min = full / 5;
        net.counts[p].k_max = full * 4 / 5;
    }
}

// As many packets as the largest window may hold, and as many again for what is shorter than a whole one.
void Shared::reserve_windows(std::size_t controllers) {
    double most = 1;
    for (std::size_t f = 0; f < traffic.flow_patterns.size(); ++f) {
        const Flow& flow = traffic.flow_patterns[f];
        if (flow.controller == none) { continue; }
        const Route& route = traffic.route_patterns[f];
        const auto base = static_cast<double>(base_rtt(route, flow.unit));
        const double held = control == CongestionControl::hpcc ? base
                            : control == CongestionControl::nscc
                                ? Nscc::most * base
                                : 2 * swift_target(options.swift, net.switches_on(route), options.swift.most_scaled);
        most = std::max(most, held / static_cast<double>(net.slowest_wire(route, flow.unit)));
    }
    recorded = std::bit_ceil(static_cast<std::uint32_t>(std::min(2 * most + 1, 16384.0)));
    windows = Sparse<Window>(controllers);
    in_flight = Sparse<InFlight>(controllers * recorded);
    gated = true;
}

// Bytes per second of the slowest of these links.
double Shared::slowest(std::span<const std::uint32_t> ports) const {
    std::uint64_t inverse = 0;
    for (const std::uint32_t p : ports) { inverse = std::max(inverse, net.ports[p].inverse); }
    return 1e12 * (1 << 24) / static_cast<double>(inverse);
}

// The links that the sender's adapter knows of: its own wire, and what lies before it. All of those of a way inside a
// node.
std::span<const std::uint32_t> Shared::own_links(const Route& route) const {
    const std::span<const std::uint32_t> ports = net.ports_of(route);
    const auto wire = std::ranges::find_if(ports, [&](std::uint32_t p) { return net.leaves_node(p); });
    return {ports.begin(), wire == ports.end() ? wire : wire + 1};
}

// Makes controllers, which begin at their adapter's rate, as adapters do: of a slower link beyond it they hear by
// marks, delays or losses.
void Shared::control_flows(std::uint32_t first, std::uint32_t end) {
    for_each_controlled([&](auto& array, std::size_t each) { array.claim(first * each, (end - first) * each); });
    for (std::uint32_t c = first; c < end; ++c) {
        const std::uint32_t f = traffic.controlled[c];
        const double line = slowest(own_links(traffic.routes[f]));
        switch (control) {
            case CongestionControl::timely: timelies[c] = Timely(line); break;
            case CongestionControl::infiniband: infiniband[c] = InfinibandRate(options.infiniband, line); break;
            case CongestionControl::dcqcn: dcqcn[c] = Dcqcn(options.dcqcn, line); break;
            case CongestionControl::hpcc:
                hpcc[c] = Hpcc(line, base_rtt(traffic.routes[f], traffic.flows[f].unit));
                break;
            case CongestionControl::swift: {
                const Route& route = traffic.routes[f];
                const std::uint32_t unit = traffic.flows[f].unit;
                swift[c] = Swift(options.swift, line, base_rtt(route, unit), net.switches_on(route), unit);
                break;
            }
            case CongestionControl::nscc: {
                const std::uint32_t unit = traffic.flows[f].unit;
                nscc[c] = Nscc(options.nscc, line, base_rtt(traffic.routes[f], unit), unit, trims());
                break;
            }
            case CongestionControl::automatic:
            case CongestionControl::none: break;
        }
        if (windowed()) { windows[c] = {}; }
        throttles[c] = {std::max(traffic.flows[f].pace, 1e12 / slowest(net.ports_of(traffic.routes[f])))};
        const auto segment = static_cast<std::uint32_t>(options.timely.segment.count) / traffic.flows[f].unit;
        ack_every[c] = std::bit_floor(std::max(1U, segment));
    }
}

void check_buffers(const Shared& shared, const Fabric& fabric) {
    const Network& net = shared.net;
    const auto wrong = [](const std::string& where, const char* what, std::int64_t found) {
        throw std::logic_error(fmt::format("this replay is wrong: {} {} ({})", where, what, found));
    };
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const Port& port = net.ports[p];
        const Ingress& in = net.ingress[p];
        const auto refuse = [&](const char* what, std::int64_t found) {
            wrong("link " + fabric.link_name(net.links[p]), what, found);
        };
        if (port.control == Control::credits && port.credits < 0) { refuse("spent credits it had not", port.credits); }
        if (net.counts[p].headers < 0) { refuse("spent header credits it had not", net.counts[p].headers); }
        if (port.queued_bytes < 0) { refuse("has less than no queue", port.queued_bytes); }
        if (port.queue.empty() && port.queued_bytes != 0) { refuse("counts bytes of no packet", port.queued_bytes); }
        if (in.bytes < 0 || in.over < 0) { refuse("holds less than nothing", std::min(in.bytes, in.over)); }
        if (in.over > in.headroom) { refuse("holds more than its headroom", in.over); }
    }
    for (const Node& node : net.nodes) {
        if (node.used < 0 || node.used > node.buffer) {
            wrong(fabric.device_name(node.device), "uses more than its buffer", node.used);
        }
    }
}

}  // namespace fabricast::inline packet
