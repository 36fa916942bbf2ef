// Trunks of another rate than the links of NICs: as many as carry the ratio's bandwidth, on ports of their own size.
// A switch of 64 ports of 200 GB/s, which are 128 of the link's 100, 256 of 50, and 256 of 25 too: none splits further.
#include <algorithm>
#include <optional>

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"
#include "tests/topologies/counted.hpp"
#include "topologies/bill.hpp"
#include "topologies/bisection.hpp"

using namespace fabricast;

namespace {

constexpr std::int64_t trunk_rates[] = {200, 100, 50, 25};  // GB/s

FabricSpec with_trunks(FabricKind kind, std::int64_t gigabytes_per_second, double oversubscription = 1) {
    FabricSpec spec = tiny::fabric(kind, 128, oversubscription);
    spec.choice = PathChoice::ecmp;
    spec.link = tiny::link(LinkFamily::ethernet, 100, nanoseconds(300));
    spec.trunk = tiny::link(LinkFamily::ethernet, gigabytes_per_second, nanoseconds(300));
    spec.port_links = 2;
    spec.port_trunks = gigabytes_per_second >= 200 ? 1 : gigabytes_per_second >= 100 ? 2 : 4;
    return spec;
}

// The fullest switch, in its 64 ports of 200 GB/s.
double most_ports(const Fabric& fabric) {
    const FabricSpec& spec = fabric.cluster().fabric;
    const BoughtSwitches bought(fabric);
    std::vector<double> used(bought.count(), 0);
    const double planes = spec.kind == FabricKind::dual_plane ? spec.planes : 1;
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const bool trunk = l >= fabric.first_trunk();
        const double cable = trunk ? 1.0 / spec.port_trunks : 1.0 / (spec.port_links * planes);
        for (std::uint32_t n = 0; n < fabric.ends(LinkId{l}).cables; ++n) {
            for (const auto& end : bought.ends(LinkId{l}, n)) {
                if (end) { used[static_cast<std::uint32_t>(*end)] += cable / 2; }  // once for each direction
            }
        }
    }
    return std::ranges::max(used);
}

}  // namespace

TEST_CASE("a fat tree has as many trunks as carry its leaves' bandwidth") {
    const auto built = [](std::int64_t rate) {
        return Fabric(tiny::cluster(64, 8, with_trunks(FabricKind::fat_tree, rate)));
    };
    const auto left = [&](std::int64_t rate) { return bill_of(built(rate)).ports_left(); };
    // Leaves of 64 NICs, which take 32 ports; the other 32 are as many trunks of 200, or 64 of 100, or 128 of 50.
    CHECK(counted(bill_of(built(200))) == Counted{{8, 4}, {512, 8 * 32}});
    CHECK(counted(bill_of(built(100))) == Counted{{8, 4}, {512, 8 * 64}});
    CHECK(counted(bill_of(built(50))) == Counted{{8, 4}, {512, 8 * 128}});
    for (const std::int64_t rate : {200, 100, 50}) { CHECK(left(rate) == 0); }
    // Trunks of 25 take a quarter of a port, so a NIC's four take one beside its half: 42 NICs on 64 ports, 13 leaves
    // of 5 nodes each, and spines of 256 trunks. A leaf uses 20 ports and 40 of 64, 120 of 128 at the link's rate.
    CHECK(counted(bill_of(built(25))) == Counted{{13, 9}, {512, 13 * 160}});
    CHECK(left(25) == (13 * 128 - 512 - 13 * 80) + (9 * 128 - 13 * 80));
    for (const std::int64_t rate : trunk_rates) { CHECK(bisection_bandwidth(built(rate)) == Approx(256 * 100e9)); }
}

TEST_CASE("dragonflies have as many trunks as carry their routers' bandwidth") {
    const auto cables = [](FabricKind kind, std::int64_t rate, std::uint32_t nodes, std::vector<int> shape) {
        FabricSpec spec = with_trunks(kind, rate);
        spec.shape = std::move(shape);
        return counted(bill_of(Fabric(tiny::cluster(nodes, 1, spec)))).cables;
    };
    // 4 groups of 8 routers with 8 NICs: 14 links' worth from a router to its group, 8 to other groups, two ends each.
    CHECK(cables(FabricKind::dragonfly, 200, 256, {4, 8, 8}) == Counts{256, 32 * 7 / 2, 32 * 4 / 2});
    CHECK(cables(FabricKind::dragonfly, 100, 256, {4, 8, 8}) == Counts{256, 32 * 14 / 2, 32 * 8 / 2});
    CHECK(cables(FabricKind::dragonfly, 50, 256, {4, 8, 8}) == Counts{256, 32 * 28 / 2, 32 * 16 / 2});
    // 2 groups of 4 leaves with 16 NICs: 16 links' worth up from a leaf, and as much from each group to the other.
    CHECK(cables(FabricKind::dragonfly_plus, 200, 128, {2, 4, 16}) == Counts{128, 8 * 8, 4 * 8});
    CHECK(cables(FabricKind::dragonfly_plus, 100, 128, {2, 4, 16}) == Counts{128, 8 * 16, 4 * 16});
    CHECK(cables(FabricKind::dragonfly_plus, 50, 128, {2, 4, 16}) == Counts{128, 8 * 32, 4 * 32});
}

TEST_CASE("no switch has more cables than its ports can be, whatever the trunks' rate") {
    std::uint32_t built = 0;
    for (const FabricKind kind : {FabricKind::fat_tree, FabricKind::rail_optimized, FabricKind::rail_only,
                                  FabricKind::dual_plane, FabricKind::dragonfly, FabricKind::dragonfly_plus}) {
        for (const std::int64_t rate : trunk_rates) {
            for (const std::uint32_t nodes : {3U, 17U, 60U, 151U}) {
                for (const double ratio : {0.7, 1.0, 1.6, 3.0}) {
                    INFO(to_string(kind) << ", " << rate << " GB/s, " << nodes << " nodes, " << ratio << ":1");
                    std::optional<Fabric> fabric;
                    try {
                        fabric.emplace(tiny::cluster(nodes, 4, with_trunks(kind, rate, ratio)));
                    } catch (const ClusterError&) { continue; }
                    ++built;
                    REQUIRE(most_ports(*fabric) <= 64 + 1e-9);
                    const Bill bill = bill_of(*fabric);
                    const bool tree = kind != FabricKind::dragonfly && kind != FabricKind::dragonfly_plus;
                    if (tree && bill.switches.size() > 1 && kind != FabricKind::rail_only) {
                        const auto up = static_cast<double>(bill.cables[1].cables) * static_cast<double>(rate);
                        CHECK(up * ratio >= nodes * 4 * 100.0 - 1e-6);  // the ratio is of bandwidth
                    }
                }
            }
        }
    }
    CHECK(built > 300);
}

TEST_CASE("trunks that leave a leaf too few ports are refused with what it takes") {
    FabricSpec spec = with_trunks(FabricKind::fat_tree, 25);
    spec.scalable_unit = 8;  // 64 NICs with 256 trunks: 32 and 64 ports
    CHECK_THROWS_WITH(Fabric(tiny::cluster(64, 8, spec)),
                      ContainsSubstring("takes 5 nodes") && ContainsSubstring("trunks of 'tiny' (2 to a port), not 8"));
    FabricSpec thick = with_trunks(FabricKind::fat_tree, 200);
    thick.spines = 33;  // one more than a leaf has trunks
    CHECK_THROWS_WITH(Fabric(tiny::cluster(64, 8, thick)),
                      ContainsSubstring("33 spines cannot take the 32 cables") && ContainsSubstring("4 to 32"));
}
