// Calibration: planted costs come back, what the data do not tell is named, and the overlay is read again.

#include "validate/calibration/calibrate.hpp"

#include <cmath>
#include <map>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "validate/calibration/calibrate_figures.hpp"
#include "validate/calibration/calibrate_report.hpp"
#include "validate/calibration/calibrated_curves.hpp"

using namespace fabricast;

namespace {

const std::string kernel = "nccl-ampere-nvswitch";

// Forecasts of a node of eight A100 with its large messages 20 % slower, as if measured.
std::vector<FitDataset> slower(const Catalog& catalog, FabricCache& cache) {
    Catalog truth = catalog;
    truth.parts.at(kernel).figures.at("simple.wire").value.at(0) *= 1.2;
    FitDataset d;
    d.id = "own-run";
    d.site = "own";
    d.scenario.cluster.node = "dgx-a100";
    d.scenario.library.nccl = "2.27";
    d.scenario.engine = Analytic{};
    const CurveForecaster forecaster(d.scenario, cache.at(d.scenario), truth);
    for (std::int64_t size = 8; size <= (std::int64_t{1} << 33); size *= 2) {
        d.sizes.push_back(Bytes{size});
        d.seconds.push_back(forecaster.seconds(Bytes{size}));
    }
    return {d};
}

// Two nodes on rails, of this size on up to 8 GiB: the forecasts of their all-reduce times `factor`, as if measured.
FitDataset pilot(const std::string& node, const std::string& link, const std::string& nccl, std::int64_t smallest,
                 double factor, const Catalog& catalog, FabricCache& cache) {
    FitDataset d;
    d.id = "own-pilot";
    d.site = "own";
    d.scenario.cluster.node = node;
    d.scenario.cluster.nodes = 2;
    d.scenario.cluster.fabric_kind = "rail-optimized";
    d.scenario.cluster.link = link;
    d.scenario.library.nccl = nccl;
    d.scenario.engine = Analytic{};
    const CurveForecaster forecaster(d.scenario, cache.at(d.scenario), catalog);
    for (std::int64_t size = smallest; size <= (std::int64_t{1} << 33); size *= 2) {
        d.sizes.push_back(Bytes{size});
        d.seconds.push_back(factor * forecaster.seconds(Bytes{size}));
    }
    return d;
}

}  // namespace

TEST_CASE("planted costs are recovered within 1.1 % from data with 5 % noise and 5 % outliers") {
    CHECK(100 * planted_recovery(read_catalog(), 2) <= 1.1);
}

TEST_CASE("a calibration says what it expects of larger systems, and which measurement would tell most") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const FitDataset d = pilot("dgx-h100", "infiniband-ndr", "2.27", 8, 1.1, catalog, cache);
    const Calibration c = calibrate(catalog, {d}, cache);
    const Outlook found = outlook(with_calibration(catalog, c), c, {d}, cache);
    CHECK(found.refused.empty());
    CHECK(found.measured_nodes == 2);
    REQUIRE(found.rows.size() == 9);
    CHECK(found.rows.front().nodes == 4);
    CHECK(found.rows.back().nodes == 128);
    for (std::size_t i = 3; i < found.rows.size(); i += 3) {  // the smallest size: more nodes are more hops
        CHECK(found.rows[i].forecast.seconds > found.rows[i - 3].forecast.seconds);
    }
    REQUIRE(found.next);
    CHECK(found.next->after < found.next->before);
    CHECK(found.next->nodes <= 4);
    CHECK(to_text(found).find("more than 2 nodes") != std::string::npos);
}

TEST_CASE("an all-reduce by trees that misses by 8 % does not move the share that every algorithm has of the wire") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const FitDataset d =
        pilot("h100-mesh-4x", "infiniband-ndr200", "2.22.3", std::int64_t{1} << 28, 1.08, catalog, cache);
    const Catalog calibrated = with_calibration(catalog, calibrate(catalog, {d}, cache));
    const auto wire = [](const Catalog& c) { return c.parts.at("transport-ib-ndr").number("wire"); };
    CHECK(wire(calibrated) >= wire(catalog));
    CHECK(wire(calibrated) < 1.05 * wire(catalog));
}

TEST_CASE("half of the sizes are fitted, the other half judges") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const std::vector<FitDataset> data = slower(catalog, cache);
    const Calibration c = calibrate(catalog, data, cache);
    std::size_t judged = 0;
    for (const CalibratedRow& row : c.rows) {
        judged += row.judged ? 1 : 0;
        INFO(row.size.count);
        CHECK(row.after == Approx(row.measured).epsilon(0.03));
    }
    CHECK(judged == c.rows.size() / 2);
    CHECK(to_text(c).find("judged sizes") != std::string::npos);
}

TEST_CASE("two runs that disagree count the same, however many rows each has") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    // Seven rows of large messages from one run, two of the other; the other rows of the first are small.
    std::vector<FitDataset> data{
        pilot("dgx-h100", "infiniband-ndr", "2.27", 8, 1.05, catalog, cache),
        pilot("dgx-h100", "infiniband-ndr", "2.27", std::int64_t{1} << 31, 0.95, catalog, cache)};
    const std::vector<CalibratedCurve> curves = calibrated_curves(data, catalog, cache);
    std::map<Regime, double> count[2];
    for (std::size_t c = 0; c < 2; ++c) {
        for (std::size_t i = 0; i < curves[c].fitted.size(); ++i) {
            count[c][regime_of(data[c].sizes[curves[c].fitted[i]])] += curves[c].weights[i] * curves[c].weights[i];
        }
    }
    CHECK(count[0][Regime::large] == Approx(count[1][Regime::large]));
    CHECK(count[0][Regime::large] + count[1][Regime::large] == Approx(7));
    CHECK(count[0][Regime::small] == Approx(7));  // those of a single run count as they are
}

TEST_CASE("a calibration says where it made the sizes that judge it worse") {
    Calibration c;
    c.rows = {{"d", Bytes{1 << 10}, 1.0, 1.2, 1.1, true, ""}, {"d", Bytes{1 << 28}, 1.0, 1.1, 1.2, true, ""}};
    const std::string text = to_text(c);
    CHECK_THAT(text, ContainsSubstring("warning: 16 MiB and up: sizes that were not fitted are forecast worse"));
    c.rows.back().after = 1.104;  // within what times differ by from run to run
    CHECK_THAT(to_text(c), !ContainsSubstring("warning"));
}

TEST_CASE("large messages that all are as slow are no outliers, and what adapters carry explains most of a third") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    for (const double factor : {1.1, 1.3}) {
        FitDataset d = pilot("dgx-h100", "infiniband-ndr", "2.27", 8, 1, catalog, cache);
        for (std::size_t i = 0; i < d.sizes.size(); ++i) { d.seconds[i] *= d.sizes[i].count > (1 << 20) ? factor : 1; }
        const Calibration c = calibrate(catalog, {d}, cache);
        INFO(to_text(c));
        double before = 0, after = 0;
        for (const CalibratedRow& row : c.rows) {
            if (regime_of(row.size) != Regime::large) { continue; }
            CHECK(row.dropped.empty());
            before += std::abs(std::log(row.measured / row.before));
            after += std::abs(std::log(row.measured / row.after));
        }
        CHECK(after <= (factor > 1.2 ? 0.5 : 1) * before);  // less than a sixth is the model's
    }
}

TEST_CASE("a single slow row is called an outlier and does not move the fit") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    std::vector<FitDataset> data = slower(catalog, cache);
    data[0].seconds[28] *= 3;  // an even row: one that is fitted
    const Calibration c = calibrate(catalog, data, cache);
    CHECK_FALSE(c.rows[28].dropped.empty());
    CHECK(c.rows[29].after == Approx(c.rows[29].measured).epsilon(0.03));
    CHECK_THAT(to_text(c), ContainsSubstring("outliers, which the fit all but ignores"));
}

TEST_CASE("a figure that no row depends on, or that these rows cannot tell, is refused by name") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const std::vector<FitDataset> data = slower(catalog, cache);
    const auto refusal = [&](const std::string& name, std::vector<FitDataset> rows) -> std::string {
        try {
            calibrate(catalog, rows, cache, {name});
        } catch (const UnderDetermined& error) { return error.what(); }
        return "";
    };
    CHECK_THAT(refusal("transport-ib-ndr/wire", data), ContainsSubstring("no row of these data depends on"));
    std::vector<FitDataset> few = data;
    few[0].sizes.resize(4);
    few[0].seconds.resize(4);
    CHECK_THAT(refusal(kernel + "/ll.hop", few), ContainsSubstring("ll.hop"));
    CHECK_THAT(refusal("nccl-kernels/ll.fill", data), ContainsSubstring("do not tell nccl-kernels/ll.fill"));
}

TEST_CASE(
    "the overlay lies over the catalogue: forecasts are the calibrated ones, and rest on what was measured here") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const std::vector<FitDataset> data = slower(catalog, cache);
    const Calibration c = calibrate(catalog, data, cache);
    Catalog merged = catalog;
    merge_overlay(merged, yaml::parse(overlay_yaml(c, catalog, data, cache), "overlay.yaml"));
    const CurveForecaster forecaster(data[0].scenario, cache.at(data[0].scenario), merged);
    const ForecastRow row = forecaster.at(Bytes{std::int64_t{1} << 30});
    CHECK(row.seconds == Approx(c.rows[27].after).epsilon(0.001));
    CHECK(row.evidence == Evidence::measured_here);
    CHECK(row.low80 >= 0.9 * row.seconds);  // the judged rows', not the catalogue's
    // One node was measured: a cluster is not "measured here".
    Scenario cluster = data[0].scenario;
    cluster.cluster.nodes = 4;
    cluster.cluster.link = "infiniband-hdr";
    const CurveForecaster beyond(cluster, cache.at(cluster), merged);
    CHECK(beyond.at(Bytes{1 << 30}).evidence != Evidence::measured_here);
}
