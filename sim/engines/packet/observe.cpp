#include "sim/engines/packet/observe.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "sim/engines/common/accounting.hpp"

namespace fabricast::inline packet {

namespace {

constexpr std::size_t ports_listed = 16, series_listed = 256, rates_listed = 8, victims_listed = 8;

// Ports that are still paused when the replay ends count as paused until then.
void close_pauses(Shared& shared, Ps end) {
    for (std::uint32_t p = 0; p < shared.net.port_count; ++p) {
        PortCounts& counts = shared.net.counts[p];
        if (shared.net.ports[p].paused && counts.paused_since < end) {
            counts.paused += end - counts.paused_since;
            if (!shared.series.empty()) { shared.series[p].saw_pause(counts.paused_since, end); }
            shared.sequence.paused(p, counts.paused_since, end);
            shared.net.ports[p].paused = false;
        }
    }
}

void list_links(const Network& net, const ReplayTask& task, Timeline& timeline) {
    const Fabric& fabric = task.fabric;
    const std::map<LinkId, double> shares = most_shares(task.events);
    std::map<LinkClass, ClassUse> classes;
    const Ps end = timeline.makespan.ps;
    timeline.busy.assign(fabric.link_count() <= links_kept ? fabric.link_count() : 0, 0);
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const Port& port = net.ports[p];
        if (port.sent_bytes == 0) { continue; }
        const LinkInfo info = fabric.link(net.links[p]);
        const bool same_link = !timeline.busiest.empty() && timeline.busiest.back().link == net.links[p];
        const auto bytes = static_cast<double>(port.sent_bytes);
        ClassUse& use = classes[info.cls];
        use.bytes += bytes;
        use.busy_s += bytes * static_cast<double>(port.inverse) * (1e-12 / (1 << 24));
        const auto changed = shares.find(net.links[p]);
        // Packets that were sent again needlessly may leave after the last byte has arrived.
        const double seconds = to_seconds(Duration{std::max(end, port.free)});
        const double most = info.capacity * seconds * (changed != shares.end() ? changed->second : 1);
        const double utilisation = most > 0 ? bytes / most : 0;
        if (!timeline.busy.empty()) {
            timeline.busy[static_cast<std::uint32_t>(net.links[p])] += static_cast<float>(utilisation);
        }
        if (same_link) {  // another lane of it
            timeline.busiest.back().bytes += bytes;
            timeline.busiest.back().utilisation += utilisation;
        } else {
            timeline.busiest.push_back({net.links[p], bytes, utilisation});
        }
    }
    finish_accounting(classes, timeline);
}

int lane_of(const Network& net, std::uint32_t p) { return net.ports[p].lanes > 1 ? int{net.counts[p].lane} : -1; }

PortUse use_of(const Network& net, std::uint32_t p) {
    const Port& port = net.ports[p];
    const PortCounts& counts = net.counts[p];
    const Ingress& in = net.ingress[p];
    return {net.links[p],       lane_of(net, p),          static_cast<double>(port.sent_bytes),
            counts.most_queued, in.headroom_most,         counts.marks,
            in.drops,           in.pauses + in.refreshes, {counts.paused},
            {counts.starved}};
}

bool held_traffic_up(const PortUse& use) {
    return use.most_queued > 0 || use.paused.ps > 0 || use.drops > 0 || use.starved.ps > 0;
}

// All ports that carried anything or held traffic up, those with the most drops, pauses, marks and queued bytes first.
std::vector<std::uint32_t> worst_ports(const Network& net) {
    std::vector<std::uint32_t> ports;
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const PortUse use = use_of(net, p);
        if (use.bytes > 0 || held_traffic_up(use)) { ports.push_back(p); }
    }
    std::ranges::stable_sort(ports, std::greater(), [&](std::uint32_t p) {
        const PortUse use = use_of(net, p);
        return std::tuple(use.drops, use.paused, use.marks, use.most_queued, use.starved, use.bytes);
    });
    return ports;
}

std::string ends_of(const Network& net, const Fabric& fabric, const Route& route) {
    const auto ports = net.ports_of(route);
    const auto name = [&](std::uint32_t node) { return fabric.device_name(net.nodes[node].device); };
    return name(net.ports[ports.front()].from_node) + " -> " + name(net.ports[ports.back()].to_node);
}

// A root of congestion is a port that was not paused itself, while its queue filled the buffers that paused others. A
// victim is a flow that crosses a port that was paused for more than 5 % of the time, but no root.
void find_victims(const Traffic& traffic, const Fabric& fabric, Ps makespan, PacketUse& use) {
    const Network& net = traffic.network;
    std::vector<bool> pauses(net.nodes.size(), false);
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        if (net.ingress[p].pauses > 0) { pauses[net.ports[p].to_node] = true; }
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::size_t f = 0; f < traffic.route_patterns.size(); ++f) {
        bool held = false;
        bool root = false;
        for (const std::uint32_t p : net.ports_of(traffic.route_patterns[f])) {
            const bool paused = net.counts[p].paused * 20 > makespan;
            held |= paused;
            root |= !paused && pauses[net.ports[p].from_node] &&
                    net.counts[p].most_queued * 4 > net.nodes[net.ports[p].from_node].used_most;
        }
        if (!held || root) { continue; }
        const auto ports = net.ports_of(traffic.route_patterns[f]);
        const bool fresh = pairs.emplace(net.ports[ports.front()].from_node, net.ports[ports.back()].to_node).second;
        if (fresh && use.victims.size() < victims_listed) {
            use.victims.push_back(ends_of(net, fabric, traffic.route_patterns[f]));
        }
    }
    use.victim_pairs = pairs.size();
}

void count(const Shared& shared, const std::vector<std::unique_ptr<Worker>>& domains, PacketUse& use) {
    const Network& net = shared.net;
    const auto add = [&](const DomainCounts& counts) {
        use.hops += counts.hops;
        use.delivered += counts.delivered;
        use.delivered_bytes += static_cast<double>(counts.delivered_bytes);
        use.notices += counts.notices;
        use.drops += counts.lost;
        use.trimmed += counts.trimmed;
    };
    add(shared.skipped);
    for (const auto& domain : domains) { add(domain->counts()); }
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const PortUse port = use_of(net, p);
        use.marks += port.marks;
        use.drops += port.drops;
        use.pauses += port.pauses;
        use.paused += port.paused;
        use.starved += port.starved;
        use.watchdog += net.counts[p].watchdog;
    }
    double held = shared.held;
    double sending = shared.sending;
    for (std::size_t c = 0; c < shared.throttles.size(); ++c) {  // those that were given back are zero
        held += shared.throttles[c].held;
        sending += shared.throttles[c].sending();
    }
    use.throttled = sending > 0 ? std::min(1.0, held / sending) : 0;
    Ps sent_for = 0;
    for (const Recovery& recovery : shared.recoveries) {
        use.resent += recovery.resent;
        use.timeouts += recovery.timeouts;
        sent_for += recovery.sent_for();
    }
    const auto waited = static_cast<double>(use.timeouts) * static_cast<double>(shared.options.retransmit_timeout.ps);
    use.timed_out = sent_for > 0 ? std::min(1.0, waited / static_cast<double>(sent_for)) : 0;
}

void percentiles(std::vector<Ps> completions, PacketUse& use) {
    if (completions.empty()) { return; }
    std::ranges::sort(completions);
    const auto at = [&](double share) {
        return Duration{completions[static_cast<std::size_t>(share * static_cast<double>(completions.size() - 1))]};
    };
    use.fct_p50 = at(0.5);
    use.fct_p99 = at(0.99);
    use.fct_max = at(1);
}

void list_series(Shared& shared, const std::vector<std::uint32_t>& worst, Ps makespan, PacketUse& use) {
    const std::size_t listed = std::min(worst.size(), series_listed);
    Ps width = 0;
    for (std::size_t i = 0; i < listed; ++i) {
        Series& series = shared.series[worst[i]];
        series.saw_queue(makespan, 0);  // what still waits does so until the end
        width = std::max(width, series.width());
    }
    for (std::size_t i = 0; i < listed; ++i) {
        Series& series = shared.series[worst[i]];
        series.widen_to(width);
        PortSeries shown{shared.net.links[worst[i]], lane_of(shared.net, worst[i]), {series.width()}, {}, {}, {}};
        const auto bins = std::min(series.all().size(), static_cast<std::size_t>(makespan / series.width() + 1));
        for (const PortBin& bin : std::span(series.all()).first(bins)) {
            shown.queued.push_back(bin.queued);
            shown.paused.push_back({bin.paused});
            shown.sent.push_back(bin.sent);
        }
        use.series.push_back(std::move(shown));
    }
}

// Where a flow begins and ends, on the first of its ways.
std::pair<DeviceId, DeviceId> ends_of(const Shared& shared, const Fabric& fabric, std::uint32_t f) {
    const auto ports = shared.net.ports_of(shared.traffic.routes[f]);
    return {fabric.ends(shared.net.links[ports.front()]).from, fabric.ends(shared.net.links[ports.back()]).to};
}

void list_rates(const Shared& shared, const Fabric& fabric, PacketUse& use) {
    std::vector<std::pair<double, std::uint32_t>> slowest;  // lowest rate, and controller
    for (std::uint32_t c = 0; c < shared.rates.size(); ++c) {
        double least = 0;
        for (const float rate : shared.rates[c].all()) {
            least = rate > 0 && (least == 0 || rate < least) ? rate : least;
        }
        if (least > 0) { slowest.emplace_back(least, c); }
    }
    std::ranges::sort(slowest);
    slowest.resize(std::min(slowest.size(), rates_listed));
    for (const auto& [least, c] : slowest) {
        const Rates& rates = shared.rates[c];
        const auto [src, dst] = ends_of(shared, fabric, shared.traffic.controlled[c]);
        use.rates.push_back({src, dst, {rates.width()}, {rates.all().begin(), rates.all().end()}});
    }
}

void list_arrivals(const Shared& shared, const Fabric& fabric, PacketUse& use) {
    for (std::uint32_t f = 0; f < shared.arrivals.size(); ++f) {
        if (!shared.arrivals[f].empty() && shared.traffic.routes[f].hops > 0) {
            const auto [src, dst] = ends_of(shared, fabric, f);
            use.arrivals.push_back({src, dst, shared.arrivals[f]});
        }
    }
}

}  // namespace

double bytes_held(const Network& net) {
    std::size_t bytes = 0;
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const Port& port = net.ports[p];
        bytes += port.wire.capacity() * sizeof(Frame) + port.queue.capacity() * sizeof(Waiting) +
                 port.signals.capacity() * sizeof(Signal);
    }
    return static_cast<double>(bytes);
}

void observe(Shared& shared, const std::vector<std::unique_ptr<Worker>>& domains, const Operations& operations,
             const ReplayTask& task, Timeline& timeline) {
    const Network& net = shared.net;
    const Fabric& fabric = task.fabric;
    close_pauses(shared, timeline.makespan.ps);
    list_links(net, task, timeline);
    PacketUse use;
    count(shared, domains, use);
    percentiles(operations.completions(), use);
    const std::vector<std::uint32_t> worst = worst_ports(net);
    use.ports_used = std::ranges::count_if(worst, [&](std::uint32_t p) { return net.ports[p].sent_bytes > 0; });
    for (std::size_t i = 0; i < std::min(worst.size(), ports_listed); ++i) {
        if (const PortUse port = use_of(net, worst[i]); held_traffic_up(port)) { use.ports.push_back(port); }
    }
    if (!shared.series.empty()) {
        list_series(shared, worst, timeline.makespan.ps, use);
        list_rates(shared, fabric, use);
        list_arrivals(shared, fabric, use);
    }
    if (const auto& ends = shared.options.sequence; !ends.empty()) {
        use.sequence = shared.sequence.take();
        use.sequence->src = ends.front();
        use.sequence->dst = ends.back();
    }
    find_victims(shared.traffic, fabric, timeline.makespan.ps, use);
    for (const Route& route : shared.traffic.route_patterns) { use.ways = std::max<int>(use.ways, route.variants); }
    timeline.packets = std::move(use);
}

}  // namespace fabricast::inline packet
