#include <set>

#include "base/hash.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"
#include "topologies/bill.hpp"
#include "topologies/fabric.hpp"
#include "topologies/fabric_generator.hpp"

using namespace fabricast;

namespace {

using Generated = std::unique_ptr<const FabricGenerator>;

std::vector<std::uint64_t> switches(const Generated& clos) {
    std::vector<std::uint64_t> counts;
    for (const FabricTier& tier : clos->tiers()) { counts.push_back(tier.switches); }
    return counts;
}

std::vector<std::uint64_t> trunk_cables(const Generated& clos) {
    std::vector<std::uint64_t> counts;
    for (const FabricTier& tier : clos->tiers()) {
        if (tier.cables > 0) { counts.push_back(tier.cables); }
    }
    return counts;
}

using Counts = std::vector<std::uint64_t>;

Generated rails_of_eight(std::uint32_t nodes, int radix) {
    return make_clos(tiny::cluster(nodes, 8, tiny::fabric(FabricKind::rail_optimized, radix)));
}

}  // namespace

// NVIDIA's reference architectures: DGX SuperPOD with DGX A100 (HDR, 40 ports), DGX H100 and DGX B200 (NDR, 64 ports).
TEST_CASE("rail-optimised fabrics have the reference architectures' switches and cables") {
    CHECK(switches(rails_of_eight(20, 40)) == Counts{8, 4});
    CHECK(switches(rails_of_eight(140, 40)) == Counts{56, 56, 28});  // printed with 80 spines: see counts_test.cpp
    CHECK(trunk_cables(rails_of_eight(140, 40)) == Counts{1120, 1120});
    CHECK(switches(rails_of_eight(31, 64)) == Counts{8, 4});
    CHECK(trunk_cables(rails_of_eight(31, 64)) == Counts{248});  // 256 with the fabric manager's cables
    CHECK(switches(rails_of_eight(63, 64)) == Counts{16, 8});
    CHECK(switches(rails_of_eight(127, 64)) == Counts{32, 16});
    CHECK(trunk_cables(rails_of_eight(127, 64)) == Counts{1024});
    CHECK(switches(rails_of_eight(256, 64)) == Counts{64, 32});
    CHECK(switches(rails_of_eight(512, 64)) == Counts{128, 128, 64});
    CHECK(switches(rails_of_eight(1024, 64)) == Counts{256, 256, 128});
    CHECK(switches(rails_of_eight(2048, 64)) == Counts{512, 512, 256});
    CHECK(trunk_cables(rails_of_eight(2048, 64)) == Counts{16384, 16384});
}

TEST_CASE("full fat trees have the textbook's switches") {
    for (const int r : {4, 8, 16}) {
        const auto n = static_cast<std::uint32_t>(r);
        FabricSpec two = tiny::fabric(FabricKind::fat_tree, r);
        CHECK(switches(make_clos(tiny::cluster(n * n / 2, 1, two))) == Counts{n, n / 2});
        FabricSpec three = tiny::fabric(FabricKind::fat_tree, r);
        const Generated full = make_clos(tiny::cluster(n * n * n / 4, 1, three));
        CHECK(switches(full) == Counts{n * n / 2, n * n / 2, n * n / 4});
        CHECK(trunk_cables(full) == Counts{n * n * n / 4, n * n * n / 4});
        three.tiers = 3;
        CHECK_THROWS_AS(make_clos(tiny::cluster(n * n * n / 4 + 1, 1, three)), ClusterError);
    }
}

TEST_CASE("oversubscription leaves more ports down than up") {
    const Generated clos = make_clos(tiny::cluster(96, 1, tiny::fabric(FabricKind::fat_tree, 48, 2)));
    CHECK(switches(clos) == Counts{3, 1});  // 32 down, 16 up
    CHECK(trunk_cables(clos) == Counts{48});
}

TEST_CASE("one rail of one set is one switch, everything else goes over a spine") {
    const Fabric fabric(tiny::cluster(64, 8, tiny::fabric(FabricKind::rail_optimized)));
    const auto switches_passed = [&](std::uint32_t a, std::uint32_t b) {
        PathQuery query;
        query.src = fabric.nic(a / 8, a % 8);
        query.dst = fabric.nic(b / 8, b % 8);
        query.kind = PathKind::network;
        return fabric.path(query).count - 1;
    };
    CHECK(switches_passed(3, 31 * 8 + 3) == 1);  // same rail, same set of 32 nodes
    CHECK(switches_passed(3, 31 * 8 + 4) == 3);  // another rail
    CHECK(switches_passed(3, 32 * 8 + 3) == 3);  // another set
}

TEST_CASE("an adaptive trunk is one link as wide as its cables together, less what spraying loses") {
    Cluster cluster = tiny::sixteen_nodes();
    cluster.fabric.trunk_utilisation = 0.96;
    const Generated clos = make_clos(cluster);
    CHECK(clos->trunk(0).cables == 16);  // as many up as NICs on the leaf
    CHECK(clos->trunk(0).info.capacity == Approx(16 * 25e9 * 0.96));
}

TEST_CASE("ECMP takes every equal path, the same one for the same flow") {
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, 4);
    spec.choice = PathChoice::ecmp;
    const Generated clos = make_clos(tiny::cluster(16, 1, spec));
    std::set<std::vector<std::uint32_t>> seen;
    for (std::uint64_t flow = 0; flow < 200; ++flow) {
        TrunkRoute route;
        REQUIRE(clos->route({0, 0}, {15, 0}, 0, mix(flow), route));
        REQUIRE(route.count == 4);
        seen.insert({route.trunks.begin(), route.trunks.begin() + 4});
        TrunkRoute again;
        REQUIRE(clos->route({0, 0}, {15, 0}, 0, mix(flow), again));
        CHECK(std::equal(again.trunks.begin(), again.trunks.begin() + 4, route.trunks.begin()));
        std::uint32_t at = clos->switch_of({0, 0}, 0);
        for (std::size_t i = 0; i < route.count; ++i) {
            REQUIRE(clos->trunk(route.trunks[i]).from == at);
            at = clos->trunk(route.trunks[i]).to;
        }
        CHECK(at == clos->switch_of({15, 0}, 0));
    }
    CHECK(seen.size() == 4);  // a 4-port fat tree: 2 spines times 2 cores each
}

TEST_CASE("rails of a rail-only fabric never meet in a switch") {
    const Fabric fabric(tiny::cluster(16, 8, tiny::fabric(FabricKind::rail_only, 8)));
    PathQuery query;
    query.src = fabric.gpu(0);
    query.dst = fabric.gpu(8 * 9 + 5);
    const Path path = fabric.path(query);  // enters rail 5 over NVLink
    CHECK(fabric.device_name(fabric.ends(path.links[3]).to) == "node0.nic5");
    query.src_nic = 0;
    query.dst_nic = 5;
    CHECK_THROWS_AS(fabric.path(query), Unreachable);
}

TEST_CASE("leaves take no more cables of planes than their ports can be split into") {
    FabricSpec spec = tiny::fabric(FabricKind::dual_plane, 64);
    spec.choice = PathChoice::ecmp;
    spec.planes = 4;
    spec.plane_cables = 2;  // four would be 128 cables and 32 links up: 160 of the 128 halves of ports
    // d / 2 ports down and d / 4 up of 64: at most 85 NICs on a leaf, so 128 of a rail are on two.
    const Fabric fabric(tiny::cluster(128, 8, spec));
    CHECK(switches(make_clos(fabric.cluster()))[0] == 2 * 8 * 4);
    for (const SwitchCount& tier : bill_of(fabric).switches) { CHECK(tier.used <= tier.ports); }
    CHECK(ports(fabric, "leaf0").size() == 64 + 16);
    spec.plane_cables = 4;
    CHECK(switches(make_clos(tiny::cluster(128, 8, spec)))[0] == 2 * 8 * 4 / 2);
}

TEST_CASE("each NIC of a dual-plane fabric has its share of the rate in each plane, and planes never meet") {
    for (const std::uint32_t planes : {2U, 4U}) {
        FabricSpec spec = tiny::fabric(FabricKind::dual_plane, 128);
        spec.link = tiny::link(LinkFamily::ethernet, 50, nanoseconds(300));
        spec.choice = PathChoice::ecmp;
        spec.planes = planes;
        const Fabric fabric(tiny::cluster(256, 8, spec));
        const Generated clos = make_clos(fabric.cluster());
        CHECK(switches(clos)[0] == 256 / (64 * planes) * 8 * planes);  // a leaf for each segment, rail and plane
        std::set<DeviceId> leaves;
        for (std::uint32_t label = 0; label < 64; ++label) {
            PathQuery query;
            query.src = fabric.gpu(0);
            query.dst = fabric.gpu(8 * 200);
            query.flow_label = label;
            const Path path = fabric.path(query);
            REQUIRE(path.count >= 6);
            CHECK(fabric.link(path.links[2]).capacity == 50e9 / planes);
            leaves.insert(fabric.ends(path.links[2]).to);
        }
        CHECK(leaves.size() == planes);
    }
}
