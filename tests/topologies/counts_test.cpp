// What a fabric takes, over random sizes, radices and ratios: never more for fewer nodes or a higher ratio, never a
// switch that could be left out, every cable on a port of its own; and published designs to the switch.
#include <algorithm>
#include <optional>

#include "base/hash.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"
#include "tests/topologies/counted.hpp"
#include "topologies/bill.hpp"
#include "topologies/fabric_generator.hpp"

using namespace fabricast;

namespace {

struct Size {
    FabricKind kind;
    std::uint32_t nodes, nics;
    int radix;
    double ratio = 1;
    int tiers = 0;
};

std::string describe(const Size& s) {
    return std::string(to_string(s.kind)) + " of " + std::to_string(s.nodes) + " nodes with " + std::to_string(s.nics) +
           " NICs, radix " + std::to_string(s.radix) + ", " + std::to_string(s.ratio) + ":1, tiers " +
           std::to_string(s.tiers);
}

Cluster sized_cluster(const Size& s, PathChoice choice = PathChoice::adaptive) {
    FabricSpec spec = tiny::fabric(s.kind, s.radix, s.ratio);
    spec.tiers = s.tiers;
    spec.choice = choice;
    return tiny::cluster(s.nodes, s.nics, spec);
}

// Nothing where the fabric is refused.
std::optional<Bill> bill(const Size& s) {
    try {
        return bill_of(Fabric(sized_cluster(s)));
    } catch (const ClusterError&) { return std::nullopt; }
}

const std::vector<FabricKind> kinds = {FabricKind::single_switch, FabricKind::fat_tree,   FabricKind::rail_optimized,
                                       FabricKind::rail_only,     FabricKind::dual_plane, FabricKind::dragonfly,
                                       FabricKind::dragonfly_plus};

// The n-th of a fixed sequence of sizes.
Size random_size(std::uint32_t n) {
    const auto draw = [&](std::uint32_t salt, std::uint32_t below) {
        return static_cast<std::uint32_t>(mix(n * 64ULL + salt) >> 32U) % below;
    };
    static const std::vector<std::uint32_t> nics = {1, 2, 3, 4, 8};
    static const std::vector<int> radices = {4, 8, 12, 16, 20, 31, 36, 40, 48, 64, 128};
    Size s{kinds[n % kinds.size()], 1 + draw(1, 400), nics[draw(2, 5)], radices[draw(3, 11)]};
    s.ratio = draw(4, 3) == 0 ? 1 : 0.5 + draw(5, 700) / 100.0;
    return s;
}

std::uint64_t trunk_cables(const Bill& b) { return b.cable_count() - b.cables.front().cables; }

void check_no_more(const Size& less, const Size& more) {
    const auto few = bill(less);
    const auto many = bill(more);
    if (few && many) {
        INFO(describe(less) << " against " << describe(more));
        REQUIRE(few->switch_count() <= many->switch_count());
        REQUIRE(few->cable_count() <= many->cable_count());
    }
}

Counted rails(std::uint32_t nodes, int radix, std::uint32_t management = 0, std::uint32_t spines = 0) {
    FabricSpec spec = tiny::fabric(FabricKind::rail_optimized, radix);
    spec.management_ports = management;
    spec.spines = spines;
    return counted(bill_of(Fabric(tiny::cluster(nodes, 8, spec))));
}

}  // namespace

TEST_CASE("no fabric takes more switches or cables for fewer nodes or a higher ratio") {
    std::uint32_t built = 0;
    for (std::uint32_t n = 0; n < 3000; ++n) {
        const Size size = random_size(n);
        built += bill(size) ? 1 : 0;
        for (const std::uint32_t fewer : {1U, 3U, 40U}) {
            Size less = size;
            less.nodes = size.nodes > fewer ? size.nodes - fewer : 1;
            check_no_more(less, size);
        }
        for (const double factor : {1.01, 1.1, 1.5, 2.0}) {
            Size higher = size;
            higher.ratio = size.ratio * factor;
            check_no_more(higher, size);
        }
    }
    CHECK(built > 1500);  // the others want larger switches or more tiers
}

TEST_CASE("two tiers take what a search through all leaves and uplinks finds") {
    for (std::uint32_t n = 0; n < 300; ++n) {
        Size size = random_size(n);
        size.kind = n % 2 == 0 ? FabricKind::fat_tree : FabricKind::rail_optimized;
        size.tiers = 2;
        const auto built = bill(size);
        if (!built) { continue; }
        const std::uint64_t rails = size.kind == FabricKind::fat_tree ? 1 : size.nics;
        const std::uint64_t ends = static_cast<std::uint64_t>(size.nodes) * size.nics / rails;
        const auto radix = static_cast<std::uint64_t>(size.radix);
        std::uint64_t leaves = ends;
        for (std::uint64_t down = 1; down < radix; ++down) {
            for (std::uint64_t up = 1; down + up <= radix; ++up) {
                if (static_cast<double>(down) <= size.ratio * static_cast<double>(up) + 1e-9) {
                    leaves = std::min(leaves, (ends + down - 1) / down);
                }
            }
        }
        INFO(describe(size));
        REQUIRE(built->switches[0].switches == leaves * rails);
        // What the ratio asks for of the fabric as a whole; spines for the cables, and not one more.
        const double asked = static_cast<double>(ends * rails) / size.ratio;
        const std::uint64_t cables = trunk_cables(*built);
        CHECK(static_cast<double>(cables) >= asked - 1e-6);
        CHECK(built->switches[1].switches == (cables + radix - 1) / radix);
        // Leaves filled alike, whole nodes on each where they fit: less than a node's cables, or a leaf's, too many.
        const double node = static_cast<double>(size.nics / rails) / size.ratio;
        CHECK(static_cast<double>(cables) <= asked + static_cast<double>(leaves * rails) * (1 + std::max(node, 1.0)) +
                                                 static_cast<double>(radix * rails));
    }
}

TEST_CASE("every cable of the bill has a port of its own, drawn one by one as in bundles") {
    std::uint32_t built = 0;
    std::uint32_t uneven = 0;
    for (std::uint32_t n = 0; n < 700; ++n) {
        Size size = random_size(n);
        size.nodes = 1 + size.nodes % 60;
        const auto counts = bill(size);
        if (!counts) { continue; }
        ++built;
        INFO(describe(size));
        for (const PathChoice choice : {PathChoice::adaptive, PathChoice::ecmp}) {
            const Fabric fabric(sized_cluster(size, choice));
            const BoughtSwitches bought(fabric);
            REQUIRE(bought.count() == counts->switch_count());
            std::vector<double> used(bought.count(), 0);
            std::uint64_t cables = 0;
            for (std::uint32_t l = fabric.first_trunk(); l < fabric.link_count(); ++l) {
                const LinkEnds ends = fabric.ends(LinkId{l});
                const bool mesh = size.kind == FabricKind::dragonfly && choice == PathChoice::adaptive &&
                                  fabric.link(LinkId{l}).cls != LinkClass::global;
                for (std::uint32_t cable = 0; cable < ends.cables && !mesh; ++cable) {
                    const auto joined = bought.ends(LinkId{l}, cable);
                    REQUIRE((joined[0] && joined[1]));
                    used[static_cast<std::uint32_t>(*joined[0])] += 0.5;  // once for each direction
                    used[static_cast<std::uint32_t>(*joined[1])] += 0.5;
                    ++cables;
                }
            }
            if (size.kind != FabricKind::dragonfly || choice == PathChoice::ecmp) {
                REQUIRE(cables == 2 * trunk_cables(*counts));
            }
            for (std::uint32_t l = 0; l < fabric.first_trunk(); ++l) {
                const LinkEnds ends = fabric.ends(LinkId{l});
                if (fabric.link(LinkId{l}).cls == LinkClass::nic_port &&
                    fabric.kind(ends.to) == DeviceKind::fabric_switch) {
                    const auto leaf = bought.ends(LinkId{l}, 0)[1];
                    REQUIRE(leaf);
                    used[static_cast<std::uint32_t>(*leaf)] += size.kind == FabricKind::dual_plane ? 0.5 : 1;
                }
            }
            REQUIRE(*std::ranges::max_element(used) <= size.radix);
            REQUIRE(*std::ranges::min_element(used) > 0);  // no switch that nothing attached needs
            uneven += !fabric.generator().uneven(0).empty() || !fabric.generator().uneven(1).empty() ? 1 : 0;
        }
    }
    CHECK(built > 300);
    CHECK(uneven > 50);
}

TEST_CASE("more ports up than a leaf has, or spines that a leaf cannot reach, are refused with what fits") {
    try {
        rails(20, 40, 0, 3);
        FAIL("3 spines of 40 ports for 160 cables");
    } catch (const ClusterError& error) {
        CHECK_THAT(error.what(), ContainsSubstring("3 spines") && ContainsSubstring("4 to 20, evenly 4, 5, 10, 20"));
    }
    CHECK_THROWS_AS(rails(20, 40, 0, 21), ClusterError);
    CHECK(rails(20, 40, 0, 7) == Counted{{8, 7}, {160, 160}});  // uneven, and asked for
}

TEST_CASE("oversubscribing 128 nodes of eight NICs saves switches at every ratio") {
    const auto switches = [](FabricKind kind, std::uint32_t nodes, double ratio) {
        return bill(Size{kind, nodes, 8, 64, ratio})->switch_count();
    };
    // 1024 NICs. At 1:1 32 down and up: 32 leaves, 1024 cables, 16 spines. At 1.5:1 38 down, 26 up: 27 leaves, 702
    // cables, 11 spines. At 2:1 42 down, 21 up: 25 leaves, 525 cables, 9 spines.
    CHECK(switches(FabricKind::fat_tree, 128, 1) == 32 + 16);
    CHECK(switches(FabricKind::fat_tree, 128, 1.5) == 27 + 11);
    CHECK(switches(FabricKind::fat_tree, 128, 2) == 25 + 9);
    CHECK(switches(FabricKind::fat_tree, 64, 1) == 16 + 8);
    CHECK(switches(FabricKind::fat_tree, 64, 1.5) == 14 + 6);
    // Rails: 128 NICs on each, four leaves of 32 at any of these ratios. 1.5:1: 22 up, 704 cables, 11 spines; 2:1: 16
    // up, 512 cables, 8 spines. Three leaves filled with 38 would have 78 up, with 42 63: no more than these four.
    CHECK(switches(FabricKind::rail_optimized, 128, 1) == 32 + 16);
    CHECK(switches(FabricKind::rail_optimized, 128, 1.5) == 32 + 11);
    CHECK(switches(FabricKind::rail_optimized, 128, 2) == 32 + 8);
    // A node more than two sets of leaves hold: three sets with 22 or 21 NICs on a leaf.
    CHECK(rails(65, 64) == Counted{{24, 9}, {520, 528}});
}

// NVIDIA's reference architectures: RA-11126 (DGX A100), RA-11333 (H100), RA-11334 (B200), and the tables of DGX B300.
TEST_CASE("published reference designs come out to the switch and the cable") {
    const auto fit = [](std::uint64_t leaves, std::uint64_t spines, std::uint64_t down, std::uint64_t up) {
        return Counted{{leaves, spines}, {down, up}};
    };
    // H100, NDR, 64 ports: a node's place in the first unit is the fabric manager's, whose four cables count.
    CHECK(rails(31, 64, 4) == fit(8, 4, 252, 256));
    CHECK(rails(63, 64, 4) == fit(16, 8, 508, 512));
    CHECK(rails(95, 64, 4) == fit(24, 12, 764, 768));  // printed with 16 spines:
    CHECK(rails(95, 64, 4, 16) == fit(24, 16, 764, 768));
    CHECK(rails(127, 64, 4) == fit(32, 16, 1020, 1024));
    // B200, NDR, and B300, 800G: 64 ports.
    for (const std::uint32_t nodes : {64U, 128U, 256U}) {
        CHECK(rails(nodes, 64) == fit(nodes / 4, nodes / 8, 8ULL * nodes, 8ULL * nodes));
    }
    // B300 of 8 and 16 units: no 64 ports reach its 128 leaves, so its rails have spines of their own.
    for (const std::uint32_t nodes : {512U, 1024U}) {
        CHECK(counted(*bill({FabricKind::rail_only, nodes, 8, 64})) ==
              fit(nodes / 4, nodes / 8, 8ULL * nodes, 8ULL * nodes));
    }
    for (const std::uint32_t nodes : {512U, 1024U, 2048U}) {
        const Counts cables(3, 8ULL * nodes);
        CHECK(rails(nodes, 64) == Counted{{nodes / 4, nodes / 4, nodes / 8}, cables});
    }
    // A100, HDR, 40 ports. One unit: four or five spines; seven: ten for each rail where seven would do.
    CHECK(rails(20, 40) == fit(8, 4, 160, 160));
    CHECK(rails(20, 40, 0, 5) == fit(8, 5, 160, 160));
    CHECK(rails(140, 40, 0, 80) == Counted{{56, 80, 28}, {1120, 1120, 1120}});
    CHECK(rails(140, 40) == Counted{{56, 56, 28}, {1120, 1120, 1120}});
    // B300, XDR, 144 ports, units of 72 nodes. Four and eight units are printed with as many spines as share a leaf's
    // 72 cables evenly, 18 and 36, where 16 and 32 would do.
    CHECK(rails(72, 144) == fit(8, 4, 576, 576));
    CHECK(rails(144, 144) == fit(16, 8, 1152, 1152));
    CHECK(rails(288, 144, 0, 18) == fit(32, 18, 2304, 2304));
    CHECK(rails(288, 144) == fit(32, 16, 2304, 2304));
    CHECK(rails(576, 144, 0, 36) == fit(64, 36, 4608, 4608));
    CHECK(rails(1296, 144) == fit(144, 72, 10368, 10368));
}

// 64 nodes have 64 NICs on a rail, and nothing joins the rails: a switch of 64 ports takes a rail and needs no cable
// up.
TEST_CASE("a rail that fits one switch is one switch in a rail-only fabric, without trunks") {
    for (const std::uint32_t nodes : {16U, 33U, 64U}) {
        for (const int tiers : {0, 1}) {
            CHECK(counted(*bill({FabricKind::rail_only, nodes, 8, 64, 1, tiers})) == Counted{{8}, {8ULL * nodes}});
        }
    }
    // A node more: 65 NICs on a rail are three leaves of 22 or 21, as in a rail-optimised fabric.
    CHECK(counted(*bill({FabricKind::rail_only, 65, 8, 64})).switches[0] == 24);
    CHECK(counted(*bill({FabricKind::rail_only, 64, 8, 64, 1, 2})).switches ==
          Counts{16, 8});  // where leaves are asked for
    CHECK_THROWS_WITH(bill_of(Fabric(sized_cluster({FabricKind::rail_only, 65, 8, 64, 1, 1}))),
                      ContainsSubstring("one switch of 64 ports cannot take 65 cables of a rail; use more tiers or a"));
}
