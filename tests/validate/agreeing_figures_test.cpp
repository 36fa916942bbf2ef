// What a pilot tells is tried on the pilot itself, and its rows are not counted as independent.

#include "validate/calibration/agreeing_figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "validate/calibration/calibrate.hpp"
#include "validate/calibration/calibrate_report.hpp"

using namespace fabricast;

namespace {

constexpr const char* p2p_start = "transport-ib-ndr/p2p_start";

// All-to-all on two nodes of eight H100 from 256 B to 4 MiB: the catalogue's forecast times `factor`, as if measured.
FitDataset small_all_to_all(const Catalog& catalog, FabricCache& cache, const std::function<double(Bytes)>& factor,
                            int repeats = 1) {
    FitDataset d;
    d.id = d.site = "own";
    d.scenario.cluster.node = "dgx-h100";
    d.scenario.cluster.nodes = 2;
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

TEST_CASE("a start-up that all sizes lower is the system's own") {
    const Catalog catalog = unsure_catalog();
    FabricCache cache(catalog);
    Catalog truth = catalog;
    figure_of(truth, p2p_start).value.at(0) *= 0.7;
    FitDataset data = small_all_to_all(truth, cache, [](Bytes) { return 1.0; });
    const Calibration calibration = calibrate(catalog, {data}, cache);
    REQUIRE(found(calibration, p2p_start) != nullptr);
    const double before = figure_of(catalog, p2p_start).value.at(0);
    CHECK(found(calibration, p2p_start)->fitted.value < 0.85 * before);
    CHECK(found(calibration, p2p_start)->fitted.value > 0.65 * before);
}

TEST_CASE("a curve measured 20 times over tells little more than once: its rows share their misfit") {
    const Catalog catalog = unsure_catalog();
    FabricCache cache(catalog);
    const auto scattered = [](Bytes size) { return std::countr_zero(std::uint64_t(size.count)) % 4 < 2 ? 0.82 : 0.88; };
    const auto width = [&](int repeats) {
        const Calibration calibration =
            calibrate(catalog, {small_all_to_all(catalog, cache, scattered, repeats)}, cache);
        const CalibratedFigure* figure = found(calibration, p2p_start);
        REQUIRE(figure != nullptr);
        return std::log(figure->fitted.high80 / figure->fitted.low80);
    };
    // 5 rows to 100 are 5 / (1 + 4 * 0.8) = 1.19 to 100 / (1 + 99 * 0.8) = 1.25 independent ones; as independent rows,
    // the interval would be narrower by a factor of sqrt(20) = 4.5.
    CHECK(width(20) == Approx(width(1)).epsilon(0.1));
}
