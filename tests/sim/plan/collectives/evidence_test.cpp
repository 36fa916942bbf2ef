// What a forecast says of itself: from the figures it used, and from who told them.

#include <cmath>
#include <string>

#include "sim/plan/collectives/costs.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/build.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

CallPlan plan_on(const Catalog& catalog, std::uint32_t nodes = 1, const std::string& gpu = "",
                 const std::string& nic = "", const std::string& link = "", std::int64_t bytes = GiB) {
    Scenario s;
    s.cluster.node = "dgx-h100";
    s.cluster.nodes = nodes;
    s.cluster.link = link;
    if (!gpu.empty()) { s.cluster.node_options["gpu"] = gpu; }
    if (!nic.empty()) { s.cluster.node_options["nic"] = nic; }
    const Fabric fabric(build(s, catalog));
    return Planner(collective_of(s), fabric, s.library, s.launch, catalog).plan(Bytes{bytes});
}

// Every figure of costs told exactly, by two sites with this GPU and link.
Catalog well_told() {
    Catalog catalog = catalogue();
    std::erase_if(catalog.parts, [](const auto& entry) { return entry.second.kind == "site"; });
    for (const std::string site : {"a", "b"}) {
        Part part{.name = "site-" + site, .kind = "site", .note = {}, .text = {}, .figures = {}};
        part.text = {{"site", site}, {"gpu", "h100-sxm"}, {"link", "infiniband-ndr"}, {"datasets", "set-" + site}};
        catalog.parts[part.name] = part;
    }
    for (auto& [name, part] : catalog.parts) {
        if (part.kind == "kernel" || part.kind == "transport" || part.kind == "launch") {
            for (auto& [path, figure] : part.figures) {
                figure.origin = Origin::fitted;
                figure.source = {"set-a", "set-b"};
                figure.low80 = 0.99 * figure.value[0];
                figure.high80 = 1.01 * figure.value[0];
            }
        }
    }
    return catalog;
}

Figure& nvls_rate(Catalog& catalog) { return catalog.parts.at("nccl-hopper-nvswitch").figures.at("nvls.rate"); }

}  // namespace

TEST_CASE("data of several sites say more than data of one, and both more than kin") {
    Catalog catalog = well_told();
    CHECK(plan_on(catalog).evidence == Evidence::same_gpu_era_fabric);
    Figure& rate = nvls_rate(catalog);
    rate.low80 /= 2;
    rate.high80 *= 2;
    rate.source = {"set-a"};
    CHECK(plan_on(catalog).evidence == Evidence::one_site);
    CHECK(to_string(Evidence::one_site) == "same GPU, era and fabric, one site");
    rate.origin = Origin::estimated;
    CHECK(plan_on(catalog).evidence == Evidence::same_family);
    CHECK(plan_on(catalog).relative_high80 > plan_on(well_told()).relative_high80);
}

TEST_CASE("a row's word is that of the weakest figure that matters to its time") {
    Catalog catalog = well_told();
    Figure& rate = nvls_rate(catalog);
    rate.origin = Origin::estimated;
    CHECK(plan_on(catalog).evidence == Evidence::same_gpu_era_fabric);  // known to 1 %: no matter who says so
    rate.low80 /= 2;
    rate.high80 *= 2;
    CHECK(plan_on(catalog).evidence == Evidence::same_family);
    // 8 bytes take a ring, which does not use it.
    CHECK(plan_on(catalog, 1, "", "", "", 8).evidence == Evidence::same_gpu_era_fabric);
    Catalog start = well_told();
    Figure& figure = start.parts.at("nccl-kernels").figures.at("nvls.start");
    figure.origin = Origin::estimated;
    figure.high80 *= 2;
    CHECK(plan_on(start).evidence == Evidence::same_gpu_era_fabric);  // 12 us of some ms
}

TEST_CASE("a figure that its data hardly tell does not say \"same GPU\", and takes its sites' interval") {
    Catalog catalog = well_told();
    const double usual = plan_on(catalog).relative_high80;
    Figure& rate = nvls_rate(catalog);
    rate.origin = Origin::estimated;
    rate.source = {std::string(hardly_told_source), "set-a", "set-b"};
    rate.low80 /= 2;  // faster than now the switch's links do not let it matter
    CHECK(plan_on(catalog).evidence == Evidence::same_family);
    CHECK(plan_on(catalog).relative_high80 == usual);
}

TEST_CASE("data of so many nodes are good up to twice as many, of the family up to eight times") {
    Catalog catalog = well_told();
    for (auto& [name, part] : catalog.parts) {
        if (part.kind == "transport") { part.figures.at("data.nodes").value = {2}; }
    }
    CHECK(plan_on(catalog, 4).evidence == Evidence::same_gpu_era_fabric);
    CHECK(plan_on(catalog, 5).evidence == Evidence::same_family);
    CHECK(plan_on(catalog, 16).evidence == Evidence::same_family);
    CHECK(plan_on(catalog, 17).evidence == Evidence::formula_only);
}

TEST_CASE("a GPU of the user's own, or a link that nobody measured, is not \"the same\"") {
    for (Catalog catalog : {catalogue(), well_told()}) {
        Part own = catalog.at("gpu", "h100-sxm");
        own.name = "h20";
        catalog.parts["h20"] = own;
        const CallPlan on_h20 = plan_on(catalog, 1, "h20");
        CHECK(on_h20.evidence >= Evidence::same_family);
        REQUIRE_FALSE(on_h20.evidence_notes.empty());
        CHECK_THAT(on_h20.evidence_notes.front(), ContainsSubstring("h100-sxm") && ContainsSubstring("not on h20"));
        const CallPlan xdr = plan_on(catalog, 2, "", "connectx-8", "infiniband-xdr");
        CHECK(xdr.evidence >= Evidence::same_family);
        // Between nodes the intervals of the two classes, both from few sites, lie close to each other.
        CHECK(xdr.relative_high80 > 0.9 * plan_on(catalog, 2).relative_high80);
        REQUIRE_FALSE(xdr.evidence_notes.empty());
        CHECK_THAT(xdr.evidence_notes.back(), ContainsSubstring("not on infiniband-xdr"));
    }
}
