#pragma once
// Small networks for the packet engine's tests: NICs as hosts, 25 GB/s and 300 ns a cable, 200 ns a switch. A packet of
// 4,000 bytes takes 160 ns on a wire.

#include <string>
#include <utility>
#include <vector>

#include "models/pcie.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/engines/engine.hpp"
#include "tests/support/tiny_clusters.hpp"

namespace fabricast::testing {

inline constexpr std::int64_t unit = 4000;
inline constexpr double rate = 25e9;  // of a cable, bytes per second

// PCIe's cables carry writes of 256 B behind the generation's headers.
inline void frame_pcie(Cluster& cluster, int generation) {
    for (NodeCable& cable : cluster.node.cables) {
        if (cable.link.family == LinkFamily::pcie) {
            cable.link.framing = {.payload = {256}, .header = pcie::write_overhead(generation)};
        }
    }
}

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

inline double seconds(const Timeline& timeline, std::size_t message) {
    return to_seconds(timeline.kept[message].finish);
}

inline Packet packets(FlowControl flow_control = FlowControl::lossless) {
    Packet options;
    options.mtu = options.island_mtu = Bytes{unit};
    options.flow_control = flow_control;
    options.island_flow_control = FlowControl::lossless;
    options.congestion_control = CongestionControl::none;
    options.reaction_quanta = 0;
    return options;
}

// Queues that fill, with marks, notices and, as the policy has it, pauses, waits for credit or losses.
inline Packet congested(FlowControl flow_control) {
    Packet options = packets(flow_control);
    options.congestion_control = CongestionControl::dcqcn;
    options.buffer = Bytes{flow_control == FlowControl::lossy ? 100'000 : 400'000};
    options.alpha = 1;
    options.ecn = {1, 10, 0.5};
    return options;
}

// Three lanes between nodes, of which one goes first, reads over PCIe inside them, and InfiniBand's control.
inline Packet lanes_and_reads() {
    Packet options = packets(FlowControl::credits);
    options.island_flow_control = FlowControl::credits;
    options.credit_buffer = Bytes{20'000};
    options.lanes.count = 3;
    options.lanes.high = {2};
    options.lanes.high_limit = 1;
    options.lanes.levels = {{.from = 1, .level = 1}, {.to = 4, .level = 2}};
    options.pcie.transactions = true;
    options.pcie.tags = 32;
    options.congestion_control = CongestionControl::infiniband;
    return options;
}

// Hosts on one switch.
inline Fabric star(std::uint32_t hosts, LinkFamily family = LinkFamily::ethernet) {
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link.family = family;
    return Fabric(tiny::cluster(hosts, 1, spec));
}

// Two tiers of switches with `radix` ports, each cable its own; half of a leaf's ports lead up.
inline Fabric leaf_spine(std::uint32_t hosts, int radix, double oversubscription = 1, std::uint64_t seed = 1) {
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, radix, oversubscription);
    spec.link.family = LinkFamily::ethernet;
    spec.choice = PathChoice::ecmp;
    spec.tiers = 2;
    spec.seed = seed;
    return Fabric(tiny::cluster(hosts, 1, spec));
}

// Switches named s0, s1, ... and their cables; hosts hang where `attach` says.
struct Drawing {
    std::vector<int> attach;                  // host -> switch
    std::vector<std::pair<int, int>> cables;  // between switches
    std::vector<double> gigabytes;            // per host cable, GB/s; empty: 25 each
    LinkFamily family = LinkFamily::ethernet;
    std::int64_t trunk = 25;  // GB/s
    int bundle = 1;           // cables of a trunk, used as one link
};

inline Fabric drawn(const Drawing& drawing, int switches) {
    FabricSpec spec = tiny::fabric(FabricKind::explicit_graph);
    spec.link.family = drawing.family;
    Cluster cluster = tiny::cluster(static_cast<std::uint32_t>(drawing.attach.size()), 1, spec);
    for (int s = 0; s < switches; ++s) {
        cluster.graph.devices.push_back({.name = "s" + std::to_string(s), .part = {}, .latency = nanoseconds(200)});
    }
    for (std::size_t h = 0; h < drawing.attach.size(); ++h) {
        LinkSpec link = spec.link;
        if (!drawing.gigabytes.empty()) {
            link.rate = Rate::per_second(static_cast<std::int64_t>(drawing.gigabytes[h] * 1e9));
        }
        cluster.graph.cables.push_back(
            {"node" + std::to_string(h) + ".nic0", "s" + std::to_string(drawing.attach[h]), link});
    }
    LinkSpec trunk = spec.link;
    trunk.rate = Rate::per_second(drawing.trunk * 1'000'000'000);
    for (const auto& [a, b] : drawing.cables) {
        cluster.graph.cables.push_back({"s" + std::to_string(a), "s" + std::to_string(b), trunk, drawing.bundle});
    }
    return Fabric(std::move(cluster));
}

// One message of `bytes` for each (from, to), all at once.
inline Schedule messages(const Fabric& fabric, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                         std::int64_t bytes) {
    Schedule schedule;
    for (const auto& [from, to] : pairs) {
        const auto connection = static_cast<std::uint32_t>(schedule.connections.size());
        schedule.connections.push_back({{.src = fabric.nic(from, 0),
                                         .dst = fabric.nic(to, 0),
                                         .flow_label = connection,
                                         .kind = PathKind::network}});
        schedule.kept.push_back(schedule.add(Transfer{connection, {bytes}, {}}));
    }
    return schedule;
}

// Four switches in a ring, every flow two cables clockwise: each cable's buffer waits for the next.
struct Circle {
    Fabric fabric;
    Schedule schedule;
};
inline Circle circle() {
    Fabric fabric = drawn({{0, 1, 2, 3}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}}, 4);
    Schedule schedule = messages(fabric, {{0, 2}, {1, 3}, {2, 0}, {3, 1}}, 3000 * unit);
    for (std::uint32_t c = 0; c < 4; ++c) {
        PathQuery& query = schedule.connections[c].path;
        const auto clockwise = [&] {
            const Path path = fabric.path(query);
            return path.count == 4 &&
                   fabric.device_name(fabric.ends(path.links[1]).to) == "s" + std::to_string((c + 1) % 4);
        };
        while (!clockwise()) { ++query.flow_label; }
    }
    return {std::move(fabric), std::move(schedule)};
}

inline constexpr double line = 12.5e9;  // 100 Gb/s, as in the simulations of HPCC, Swift and UEC

// Hosts at one switch, 100 Gb/s.
inline Fabric star(std::uint32_t hosts, Duration cable) {
    FabricSpec spec = tiny::fabric(FabricKind::single_switch, 128);
    spec.link = tiny::link(LinkFamily::ethernet, 12, cable);
    spec.link.rate = Rate::per_second(static_cast<std::int64_t>(line));
    return Fabric(tiny::cluster(hosts, 1, spec));
}

// As many bytes from each host but the first to the first; the last of them starts late.
inline Schedule incast(const Fabric& fabric, std::uint32_t senders, std::int64_t bytes, Duration late = {}) {
    Schedule schedule;
    for (std::uint32_t h = 1; h <= senders; ++h) {
        schedule.connections.push_back(
            {{.src = fabric.nic(h, 0), .dst = fabric.nic(0, 0), .flow_label = h, .kind = PathKind::network}});
        schedule.kept.push_back(schedule.add(Transfer{h - 1, {bytes}, h == senders ? late : Duration{}}));
    }
    return schedule;
}

// ps there and back without queues.
inline double base_rtt(const Fabric& fabric, const Schedule& schedule) {
    const double latency = to_seconds(fabric.path(schedule.connections[0].path).latency);
    return 2 * latency + unit / line;
}

// Jain's index of the rates of flows of equal size.
inline double fairness(const Timeline& timeline) {
    double sum = 0;
    double squares = 0;
    for (std::size_t m = 0; m < timeline.kept.size(); ++m) {
        const double rate = 1 / seconds(timeline, m);
        sum += rate;
        squares += rate * rate;
    }
    return sum * sum / squares / static_cast<double>(timeline.kept.size());
}

}  // namespace fabricast::testing
