// What a pilot tells is tried on the pilot itself, and its rows are not counted as independent.

#include "validate/calibration/agreeing_figures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "validate/calibration/calibrate.hpp"
#include "validate/calibration/calibrate_report.hpp"
#include "validate/calibration/calibrated_curves.hpp"

using namespace fabricast;

namespace {

constexpr const char* p2p_start = "transport-ib-ndr/p2p_start";
constexpr const char* p2p_per_peer = "nccl-network/p2p_per_peer";

// All-to-all on two nodes of eight H100 from 256 B to 4 MiB: the catalogue's forecast times `factor`, as if measured.
FitDataset small_all_to_all(const Catalog& catalog, FabricCache& cache, const std::function<double(Bytes)>& factor,
                            int repeats = 1, std::uint32_t nodes = 2) {
    FitDataset d;
    d.id = "own-" + std::to_string(nodes);
    d.site = "own";
    d.scenario.cluster.node = "dgx-h100";
    d.scenario.cluster.nodes = nodes;
    d.scenario.cluster.fabric_kind = "rail-optimized";
    d.scenario.cluster.link = "infiniband-ndr";
    d.scenario.library.nccl = "2.27";
    d.scenario.engine = Analytic{};
    collective_of(d.scenario).collective = Collective::all_to_all;
    const CurveForecaster forecaster(d.scenario, cache.at(d.scenario), catalog);
    for (std::int64_t size = 256; size <= (std::int64_t{4} << 20); size *= 2) {
        for (int i = 0; i < repeats; ++i) {
            d.sizes.push_back(Bytes{size});
            d.seconds.push_back(factor(Bytes{size}) * forecaster.seconds(Bytes{size}));
        }
    }
    return d;
}

// A catalogue that knows the start-up to a factor of two only.
Catalog unsure_catalog() {
    Catalog catalog = read_catalog();
    Figure& figure = figure_of(catalog, p2p_start);
    figure.low80 = figure.value.at(0) / 2;
    figure.high80 = figure.value.at(0) * 2;
    return catalog;
}

const CalibratedFigure* found(const Calibration& calibration, const FigureName& name) {
    const auto figure = std::ranges::find(calibration.figures, name, &CalibratedFigure::name);
    return figure == calibration.figures.end() ? nullptr : &*figure;
}

}  // namespace

TEST_CASE("a start-up that small sizes lower and middle ones raise is kept as the catalogue has it, and that is said") {
    const Catalog catalog = unsure_catalog();
    FabricCache cache(catalog);
    const auto contradicting = [](Bytes size) { return regime_of(size) == Regime::small ? 0.88 : 1.06; };
    const FitDataset data = small_all_to_all(catalog, cache, contradicting);
    try {
        const Calibration calibration = calibrate(catalog, {data}, cache);
        CHECK(found(calibration, p2p_start) == nullptr);
        CHECK_THAT(to_text(calibration), ContainsSubstring("contradicts the rest about it"));
    } catch (const UnderDetermined& error) {
        CHECK_THAT(std::string(error.what()), ContainsSubstring("contradict themselves about"));
    }
}

TEST_CASE("a start-up about which two node counts agree is freed, though middle sizes tell less of it", "[thorough]") {
    const Catalog catalog = unsure_catalog();
    FabricCache cache(catalog);
    const auto mostly = [](Bytes size) { return regime_of(size) == Regime::small ? 0.78 : 0.96; };
    const std::vector<FitDataset> data{small_all_to_all(catalog, cache, mostly),
                                       small_all_to_all(catalog, cache, mostly, 1, 4)};
    const Calibration calibration = calibrate(catalog, data, cache);
    REQUIRE(found(calibration, p2p_start) != nullptr);
    CHECK(found(calibration, p2p_start)->fitted.value < 0.9 * figure_of(catalog, p2p_start).value.at(0));
}

TEST_CASE("a start-up that all sizes lower is the system's own, shared with what the host spends on a peer") {
    const Catalog catalog = unsure_catalog();
    FabricCache cache(catalog);
    Catalog truth = catalog;
    figure_of(truth, p2p_start).value.at(0) *= 0.7;
    FitDataset data = small_all_to_all(truth, cache, [](Bytes) { return 1.0; });
    const Calibration calibration = calibrate(catalog, {data}, cache);
    REQUIRE(found(calibration, p2p_start) != nullptr);
    const double before = figure_of(catalog, p2p_start).value.at(0);
    CHECK(found(calibration, p2p_start)->fitted.value < 0.9 * before);
    CHECK(found(calibration, p2p_start)->fitted.value > 0.65 * before);
    REQUIRE(found(calibration, p2p_per_peer) != nullptr);
    CHECK(found(calibration, p2p_per_peer)->fitted.value < 0.97 * found(calibration, p2p_per_peer)->before);
    for (const CalibratedRow& row : calibration.rows) { CHECK(row.after == Approx(row.measured).epsilon(0.02)); }
}

TEST_CASE("a curve measured 20 times over pulls little more than once: its rows share their misfit") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const auto pull = [&](int repeats) {
        const std::vector<FitDataset> data{small_all_to_all(
            catalog, cache, [](Bytes) { return 1.0; }, repeats)};
        const CalibratedCurve curve = calibrated_curves(data, catalog, cache).front();
        double sum = 0;
        for (const double weight : correlated_weights(curve)) { sum += weight * weight; }
        return sum;
    };
    // Of 8 sizes below 64 KiB and 7 above every second is fitted: 4 and 4.
    CHECK(pull(1) == Approx(4 / (1 + 3 * 0.8) + 4 / (1 + 3 * 0.8)));
    CHECK(pull(20) == Approx(80 / (1 + 79 * 0.8) + 80 / (1 + 79 * 0.8)));
}
