#pragma once
// What both engines' tests of failing links run: small fabrics with another way, and outages at random.

#include <algorithm>
#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/engines/common/schedule.hpp"
#include "tests/sim/engines/random_sharing.hpp"
#include "tests/support/tiny_clusters.hpp"

namespace fabricast::testing {

// Eight nodes of one GPU and NIC under four leaves of four ports, two spines.
inline Fabric two_spines() {
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, 4);
    spec.choice = PathChoice::ecmp;
    return Fabric(tiny::cluster(8, 1, spec));
}

inline LinkId link_of_class(const Fabric& fabric, const PathQuery& query, LinkClass cls) {
    const Path path = fabric.path(query);
    return *std::ranges::find_if(path.span(), [&](LinkId link) { return fabric.link(link).cls == cls; });
}

// Both GPUs of two nodes in a ring, once over each rail.
inline Schedule two_rails(const Fabric& fabric) {
    Schedule schedule;
    Pipeline ring;
    ring.bytes_per_edge = 10e6;
    ring.chunk = 1e5;
    ring.slots = 1000;
    ring.cyclic = true;
    ring.stage_count = 2;
    for (const std::uint16_t nic : {std::uint16_t{0}, std::uint16_t{1}}) {
        schedule.edge_sets.push_back(NodeRing{.nodes = 2, .order = {0, 1}, .exit_nic = nic, .entry_nic = nic});
        schedule.stages.push_back(
            {1.5, {.src = fabric.gpu(1), .dst = fabric.gpu(2), .src_nic = nic, .dst_nic = nic}, {}});
        schedule.stages.push_back({1.5, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, {}});
        ring.edges = nic;
        ring.first_stage = 2 * nic;
        schedule.add(ring);
    }
    return schedule;
}

// Twelve messages on `two_spines`, and four trunks that go down and come up under them.
struct Outages {
    Schedule schedule;
    std::vector<LinkEvent> events;
    double bytes = 0;
};

inline Outages random_outages(const Fabric& fabric, std::uint64_t seed, std::uint32_t largest) {
    Random random{seed};
    Outages outages;
    for (std::uint32_t c = 0; c < 12; ++c) {
        const auto from = random.below(8);
        const auto to = (from + 1 + random.below(7)) % 8;
        const auto bytes = std::int64_t{1} + random.below(largest);
        outages.schedule.connections.push_back(
            {.path = {.src = fabric.gpu(from), .dst = fabric.gpu(to), .flow_label = c}});
        outages.schedule.kept.push_back(outages.schedule.add(Transfer{c, {bytes}, {}}));
        outages.bytes += static_cast<double>(bytes);
    }
    const std::uint32_t trunks = fabric.link_count() - fabric.first_trunk();
    for (std::uint32_t e = 0; e < 4; ++e) {
        const LinkId link{fabric.link_count() - 1 - random.below(trunks)};
        const Time down = microseconds(random.below(100));
        outages.events.push_back({down, link, 0});
        outages.events.push_back({down + microseconds(1 + random.below(100)), link, 1});
    }
    return outages;
}

}  // namespace fabricast::testing
