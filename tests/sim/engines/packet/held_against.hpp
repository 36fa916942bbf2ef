#pragma once
// The packet engine's completion times beside those of other simulators: the same messages over the same cables, each
// packet as many bytes on the wire. docs/packet.md shows the table, ./dev bench packet_held_against prints it.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "tests/sim/engines/packet/network.hpp"

namespace fabricast::testing {

struct HeldAgainst {
    std::string what;
    double other_us = 0, ours_us = 0;
    double percent() const { return 100 * (ours_us / other_us - 1); }
};

// ns-3 3.37, run by validate/ns3/compare.sh: 16 hosts at one switch, packets stored and forwarded, no queue overflows.
namespace ns3 {

inline constexpr std::int64_t wire = 4100;  // bytes of a packet

inline Fabric hosts_at_a_switch() {
    FabricSpec spec = tiny::fabric(FabricKind::single_switch, 128);
    spec.link = tiny::link(LinkFamily::ethernet, 12, nanoseconds(500));
    spec.link.rate = Rate::per_second(static_cast<std::int64_t>(line));
    spec.switch_latency = {};
    return Fabric(tiny::cluster(16, 1, spec));
}

inline Timeline run(const Fabric& fabric, const Schedule& schedule) {
    Packet options = packets();
    options.mtu = options.island_mtu = Bytes{wire};
    options.cut_through = false;
    return replay(options, fabric, schedule);
}

// Each host sends to the next one, and passes on what it received.
inline Schedule ring(const Fabric& fabric, std::uint32_t hosts, std::int64_t bytes) {
    Pairs pairs;
    for (std::uint32_t h = 0; h < hosts; ++h) { pairs.emplace_back(h, (h + 1) % hosts); }
    Schedule schedule = messages(fabric, pairs, bytes);
    for (std::uint32_t step = 1; step + 1 < hosts; ++step) {
        for (std::uint32_t h = 0; h < hosts; ++h) {
            const Schedule::Dependency before{schedule.kept[(step - 1) * hosts + (h + hosts - 1) % hosts]};
            schedule.kept.push_back(schedule.add(Transfer{h, {bytes}, {}}, {&before, 1}));
        }
    }
    return schedule;
}

inline std::vector<HeldAgainst> all() {
    const Fabric fabric = hosts_at_a_switch();
    Pairs incast, permutation, everyone;
    for (std::uint32_t h = 1; h < 16; ++h) { incast.emplace_back(h, 0); }
    for (std::uint32_t h = 0; h < 16; ++h) { permutation.emplace_back(h, (5 * h + 3) % 16); }
    for (std::uint32_t step = 1; step < 16; ++step) {
        for (std::uint32_t h = 0; h < 16; ++h) { everyone.emplace_back(h, (h + step) % 16); }
    }
    const auto ours = [&](const Schedule& schedule) { return to_seconds(run(fabric, schedule).makespan) * 1e6; };
    return {{"incast of 15, 500 packets each", 2461.328, ours(messages(fabric, incast, 500 * wire))},
            {"permutation of 16, 500 packets each", 165.328, ours(messages(fabric, permutation, 500 * wire))},
            {"all-to-all of 16, 100 packets a pair", 493.328, ours(messages(fabric, everyone, 100 * wire))},
            {"ring of 16, 100 packets in 15 steps", 511.920, ours(ring(fabric, 16, 100 * wire))}};
}

}  // namespace ns3

// UEC's working group publishes what its simulator takes: github.com/ultraethernet/uet-htsim, htsim/sim/datacenter/
// validate_outputs/validate_uec_sender.out. 100 Gb/s, 1 us a cable, 2 MB a message in 490 packets of 4,150 B, NSCC with
// trimming. It counts until the last acknowledgement is back.
namespace uet {

inline constexpr std::int64_t wire = 4150, message = 490 * wire;

// As many hosts as `radix` allows in three tiers, or 1,024 below leaves of 32 whose uplinks are fewer by a factor.
inline Fabric fat_tree(std::uint32_t hosts, int radix, double oversubscription = 1) {
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, radix, oversubscription);
    spec.link = tiny::link(LinkFamily::ethernet, 12, microseconds(1));
    spec.link.rate = Rate::per_second(static_cast<std::int64_t>(line));
    spec.switch_latency = {};
    spec.choice = PathChoice::ecmp;
    spec.tiers = oversubscription > 1 ? 2 : 3;
    return Fabric(tiny::cluster(hosts, 1, spec));
}

inline Packet nscc(PacketRouting routing = PacketRouting::spray) {
    Packet options = packets(FlowControl::automatic);
    options.mtu = options.island_mtu = Bytes{wire};
    options.cut_through = false;
    options.congestion_control = CongestionControl::nscc;
    options.trim = true;
    options.alpha = 64;
    options.routing = routing;
    return options;
}

inline double microseconds_of(const Fabric& fabric, const Pairs& pairs, const Packet& options) {
    const Schedule schedule = messages(fabric, pairs, message);
    double back = 0;
    for (const Connection& connection : schedule.connections) {
        back = std::max(back, to_seconds(fabric.path(connection.path).latency));
    }
    return (to_seconds(replay(options, fabric, schedule).makespan) + back) * 1e6;
}

// Everyone sends to one other: the published matrix of 16, or one drawn for more hosts.
inline Pairs permutation(std::uint32_t hosts) {
    if (hosts == 16) {
        constexpr std::uint32_t to[] = {8, 4, 13, 10, 12, 15, 0, 9, 14, 7, 5, 3, 11, 6, 2, 1};
        Pairs pairs;
        for (std::uint32_t h = 0; h < 16; ++h) { pairs.emplace_back(h, to[h]); }
        return pairs;
    }
    std::vector<std::uint32_t> to(hosts);
    for (std::uint32_t h = 0; h < hosts; ++h) { to[h] = h; }
    for (std::uint32_t h = hosts - 1; h > 0; --h) { std::swap(to[h], to[mix(h) % h]); }  // nobody to himself
    Pairs pairs;
    for (std::uint32_t h = 0; h < hosts; ++h) { pairs.emplace_back(h, to[h]); }
    return pairs;
}

inline Pairs all_to(std::uint32_t hosts, std::uint32_t receiver) {
    Pairs pairs;
    for (std::uint32_t h = 0; h < hosts; ++h) {
        if (h != receiver) { pairs.emplace_back(h, receiver); }
    }
    return pairs;
}

inline std::vector<HeldAgainst> small() {
    const Fabric tree = fat_tree(16, 4);
    const Packet one_path = nscc(PacketRouting::ecmp);
    return {{"one message", 176.2, microseconds_of(tree, {{0, 13}}, nscc())},
            {"incast of 15", 2478.53, microseconds_of(tree, all_to(16, 15), nscc())},
            {"permutation of 16", 194.022, microseconds_of(tree, permutation(16), nscc())},
            {"permutation of 16, one path each", 527.755, microseconds_of(tree, permutation(16), one_path)}};
}

inline std::vector<HeldAgainst> large() {
    const Fabric tree = fat_tree(1024, 16);
    const Packet one_path = nscc(PacketRouting::ecmp);
    const Pairs pairs = permutation(1024);
    return {{"incast of 127", 21029.3, microseconds_of(fat_tree(128, 8), all_to(128, 33), nscc())},
            {"permutation of 1,024", 200.507, microseconds_of(tree, pairs, nscc())},
            {"permutation of 1,024, one path each", 889.92, microseconds_of(tree, pairs, one_path)},
            {"permutation of 1,024, 4:1", 785.774, microseconds_of(fat_tree(1024, 40, 4), pairs, nscc())},
            {"permutation of 1,024, 8:1", 1443.43, microseconds_of(fat_tree(1024, 36, 8), pairs, nscc())}};
}

}  // namespace uet

}  // namespace fabricast::testing
