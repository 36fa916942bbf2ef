// NCCL's releases are data of the catalogue: each version gets the behaviour that it had when versions were compared in
// the code, and a new release is an entry.

#include "sim/plan/collectives/nccl/release.hpp"

#include <fmt/format.h>

#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/build.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::nccl;

namespace {

// What the code asked before: whether the version is at least 2.`minor`.
bool at_least(const Version& version, int minor) { return version >= Version{2, minor, 0}; }

Catalog with_part(const std::string& text) {
    Catalog catalog = catalogue();
    add_parts(catalog, {yaml::parse(text, "mine.yaml")});
    return catalog;
}

CallPlan gather_of(const Catalog& catalog, const std::string& version, Algorithm algorithm = Algorithm::nvls) {
    Scenario s;
    s.cluster.node = "dgx-h100";
    collective_of(s).collective = Collective::all_gather;
    collective_of(s).algorithm = algorithm;
    s.library.nccl = version;
    return Planner(collective_of(s), Fabric(build(s, catalog)), s.library, s.launch, catalog).plan(Bytes{GiB});
}

}  // namespace

TEST_CASE("every version from 2.0 on behaves as when the code compared versions") {
    const struct {
        const char* what;
        bool Flags::*flag;
        int minor;   // the release that changed it
        bool after;  // from then on
    } switches[] = {
        {"doubles_few_channels", &Flags::doubles_few_channels, 18, true},
        {"nvls_gathers", &Flags::nvls_gathers, 19, true},
        {"nvls_channels_add_to_start", &Flags::nvls_channels_add_to_start, 19, false},
        {"shortens_simple_tree_chunks", &Flags::shortens_simple_tree_chunks, 20, false},
        {"collnet_direct_gathers", &Flags::collnet_direct_gathers, 21, true},
        {"nvls_gathers_leave_out_own", &Flags::nvls_gathers_leave_out_own, 24, true},
        {"corrects_nvls_tree", &Flags::corrects_nvls_tree, 29, true},
    };
    for (int minor = 0; minor <= 40; ++minor) {
        for (int patch = 0; patch <= 12; ++patch) {
            const Version version{2, minor, patch};
            const Release r = release(catalogue(), version);
            INFO(fmt::format("2.{}.{} as {}", minor, patch, r.entry->name));
            for (const auto& one : switches) {
                INFO(one.what);
                CHECK(r.flags.*one.flag == (at_least(version, one.minor) == one.after));
            }
            CHECK(r.number("channels.min_traffic") == (at_least(version, 30)   ? 32 * KiB
                                                       : at_least(version, 23) ? 16 * KiB
                                                                               : 0));
            if (r.has("nvls")) { CHECK(r.number("nvls.max_heads") == (at_least(version, 21) ? 32 : 8)); }
        }
    }
}

TEST_CASE("a new release is an entry: a flag that it changes changes its plans") {
    const Catalog catalog = with_part(R"(
nccl-2.99:
  base: nccl-2.30
  note: Gathers leave NVLS again.
  version: "2.99"
  origin: vendor
  source: this test
  figures:
    flag.nvls_gathers: 0
)");
    CHECK(gather_of(catalog, "2.30").algorithm == Algorithm::nvls);
    CHECK_THROWS_WITH(gather_of(catalog, "2.99"), ContainsSubstring("nvls cannot run all_gather"));
    CHECK(gather_of(catalog, "2.99.1", Algorithm::automatic).notes.empty());
    CHECK(gather_of(catalogue(), "2.99").notes.size() == 1);  // as the newest, and says so
}

TEST_CASE("a flag that is none is refused by name") {
    const Catalog catalog = with_part(R"(
nccl-2.99:
  base: nccl-2.30
  version: "2.99"
  origin: vendor
  source: this test
  figures:
    flag.nvls_gather: 1
)");
    CHECK_THROWS_WITH(release(catalog, {2, 99, 0}),
                      ContainsSubstring("nccl-2.99 has flag.nvls_gather, which is not a flag"));
}
