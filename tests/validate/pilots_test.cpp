// A pilot: what it is calibrated on, what judges it, and what its figures say.

#include "validate/calibration/pilots.hpp"

#include <algorithm>
#include <cmath>

#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "validate/calibration/calibrate.hpp"
#include "validate/calibration/curve_seconds.hpp"

using namespace fabricast;

namespace {

const std::string transport = "transport-ib-ndr";

// A curve between nodes of eight H100 whose network takes `slower` times as long for a hop, as if measured.
CollectedCurve curve(const Catalog& catalog, FabricCache& cache, Collective collective, std::uint32_t nodes,
                     double slower, std::int64_t smallest = 1 << 20) {
    Catalog truth = catalog;
    truth.parts.at(transport).figures.at("hop").value.at(0) *= slower;
    CollectedCurve out;
    out.comparison.id = "toy-" + std::to_string(nodes) + "-" + std::string(to_string(collective));
    out.site = out.publisher = "toy";
    Derived& derived = out.comparison.derived;
    derived.group = {"hopper", ">=2.18", "infiniband-ndr"};
    derived.scenario.cluster.node = "dgx-h100";
    derived.scenario.cluster.nodes = nodes;
    derived.scenario.cluster.link = "infiniband-ndr";
    derived.scenario.library.nccl = "2.27";
    derived.scenario.engine = Analytic{};
    collective_of(derived.scenario).collective = collective;
    const CurveForecaster forecaster(derived.scenario, cache.at(derived.scenario), truth);
    for (std::int64_t size = smallest; size <= (std::int64_t{1} << 32); size *= 2) {
        ComparedSize compared;
        compared.measured = {Bytes{size}, forecaster.seconds(Bytes{size}), ""};
        out.comparison.sizes.push_back(compared);
    }
    return out;
}

// The rows of a collection, with the forecasts of the catalogue as those without the site.
std::vector<ComparedRow> left_out_rows(const Collection& collection, const Catalog& catalog, FabricCache& cache) {
    std::vector<ComparedRow> rows = accuracy_rows(collection);
    const SiteOverlays overlays = {{"toy", {}}};
    forecast_without_site(rows, collection, overlays, catalog, cache);
    return rows;
}

double value(const std::vector<NamedFigure>& figures, const std::string& name) {
    for (const NamedFigure& figure : figures) {
        if (figure.name == name) { return figure.value; }
    }
    return -1;
}

// A pilot of one small row for each of these errors, before and after.
Pilot judged(const std::string& site, double before, double after, RatioRange interval) {
    ComparedRow row;
    row.site = site;
    row.size = Bytes{8};
    row.measured = 1;
    row[Forecast::left_out] = 1 + before;
    row[Forecast::ours] = 1 + after;
    return {site, {}, "", {row}, {interval}};
}

}  // namespace

TEST_CASE("a pilot is all_reduce on the fewest nodes, calibrated as by the command, and everything else judges it") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    Collection collection;
    for (const Collective collective : {Collective::all_gather, Collective::all_reduce}) {
        for (const std::uint32_t nodes : {4U, 2U}) {
            collection.curves.push_back(curve(catalog, cache, collective, nodes, 5, 8));
        }
    }
    CollectedCurve sick = curve(catalog, cache, Collective::broadcast, 2, 9);
    sick.cause = "degraded";
    collection.curves.push_back(sick);
    const std::vector<ComparedRow> rows = left_out_rows(collection, catalog, cache);
    const std::vector<Pilot> found = pilots(catalog, {{"toy", {}}}, collection, rows, cache);
    REQUIRE(found.size() == 1);
    CHECK(found[0].datasets == std::vector<std::string>{"toy-2-all_reduce"});
    CHECK(found[0].refused.empty());
    CHECK(found[0].rows.size() == 3 * 30);
    for (const ComparedRow& row : found[0].rows) { CHECK(row.table != "toy-2-all_reduce"); }
    REQUIRE(found[0].intervals.size() == found[0].rows.size());
    // The forecasts are those of `calibrate` with this curve, as the five digits of its overlay have them.
    const Calibration same = calibrate(catalog, {fit_dataset(collection.curves[3].comparison)}, cache);
    const Catalog calibrated = with_calibration(catalog, same);
    double farthest = 0;
    for (const ComparedRow& row : found[0].rows) {
        for (const CollectedCurve& judge : collection.curves) {
            if (judge.comparison.id != row.table) { continue; }
            const Scenario& scenario = judge.comparison.derived.scenario;
            const double expected = CurveForecaster(scenario, cache.at(scenario), calibrated).seconds(row.size);
            CHECK(row[Forecast::ours] == Approx(expected).epsilon(1e-3));
        }
        farthest = std::max(farthest, std::abs(row[Forecast::ours] / row[Forecast::left_out] - 1));
    }
    CHECK(farthest > 0.1);
    CHECK(value(pilot_figures(found), "pilot_small_before_median_pct") > 20);
    CHECK(value(pilot_figures(found), "pilot_large_factor") > 1);
}

TEST_CASE("a pilot with nothing left to judge is none, and one with too few rows changes no forecast") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    Collection collection;
    collection.curves.push_back(curve(catalog, cache, Collective::all_reduce, 2, 1.5));
    CHECK(pilots(catalog, {{"toy", {}}}, collection, left_out_rows(collection, catalog, cache), cache).empty());
    collection.curves.front().comparison.sizes.resize(3);
    collection.curves.push_back(curve(catalog, cache, Collective::all_reduce, 4, 1.5));
    const std::vector<ComparedRow> rows = left_out_rows(collection, catalog, cache);
    const std::vector<Pilot> found = pilots(catalog, {{"toy", {}}}, collection, rows, cache);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0].refused, ContainsSubstring("under-determined"));
    for (const ComparedRow& row : found[0].rows) { CHECK(row[Forecast::ours] == row[Forecast::left_out]); }
    CHECK(value(pilot_figures(found), "pilot_refused") == 1);
}

TEST_CASE("figures of pilots: medians over sites, sites that a pilot made worse, and intervals over rows") {
    const std::vector<NamedFigure> figures =
        pilot_figures({judged("a", 0.40, 0.10, {0.8, 1.2}), judged("b", 0.20, 0.21, {0.5, 1.5}),
                       judged("c", 0.30, 0.33, {0.9, 1.8}), judged("c", -0.30, -0.33, {0.9, 1.8})});
    CHECK(value(figures, "pilot_small_median_pct") == Approx(21));
    CHECK(value(figures, "pilot_small_before_median_pct") == Approx(30));
    CHECK(value(figures, "pilot_sites") == 3);
    CHECK(value(figures, "pilot_worse_sites") == 1);  // c by three points; b by one, which is tolerated
    CHECK(value(figures, "pilot_site_c_small_before_pct") == Approx(30));
    // measured / forecast: 0.91 and 0.83 inside; c's 0.75 below its interval and 1.49 inside.
    CHECK(value(figures, "pilot_small_coverage_pct") == Approx(75));
    CHECK(value(figures, "pilot_small_factor") == Approx(2));  // of 1.5, 3 and 2
    CHECK(value(figures, "pilot_mid_median_pct") == -1);
    CHECK(pilot_figures({}).empty());
}

TEST_CASE("constants of the fit are counted with the cells whose rows read them") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    FitDataset one = fit_dataset(curve(catalog, cache, Collective::all_reduce, 2, 1).comparison);  // mid and large
    const auto figures = [&](const std::vector<FitDataset>& data) { return fit_size_figures(catalog, data, cache); };
    const std::vector<NamedFigure> alone = figures({one});
    CHECK(value(alone, "fit_cells") == 2);
    CHECK(value(alone, "fitted_constants") > 5);
    CHECK(value(alone, "constants_below_three_cells") == value(alone, "fitted_constants"));
    CHECK(value(alone, "constants_below_three_cells_several_sites") == 0);
    FitDataset same = one;  // another curve of the same site and group is no other observation
    same.id = "again";
    CHECK(value(figures({one, same}), "fit_cells") == 2);
    FitDataset other = one;
    other.site = "other";
    const std::vector<NamedFigure> two = figures({one, other});
    CHECK(value(two, "fit_cells") == 4);
    CHECK(value(two, "fitted_constants") == value(alone, "fitted_constants"));
    // A constant that both regimes read has four cells now; one that a single regime reads has two, of two sites.
    CHECK(value(two, "constants_below_three_cells") < value(alone, "constants_below_three_cells"));
    CHECK(value(two, "constants_below_three_cells_several_sites") == value(two, "constants_below_three_cells"));
}
