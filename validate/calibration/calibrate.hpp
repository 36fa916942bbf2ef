#pragma once
// Fits the catalogue to the measurements of one system. The fitted figures are those that no standard states: base
// latency per protocol, effective rates, overhead per operation, cost of contention. The fit starts from the
// catalogue's values.
//
// Every other size of a curve is fitted; the rest judges the result. A figure that the data hardly determine is
// reported and keeps its value from the catalogue, and so does one about which the data contradict themselves. If no
// figure remains, the fit is refused. Deterministic: the same input gives the same bytes.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "validate/calibration/fit.hpp"
#include "validate/calibration/told_figures.hpp"
#include "validate/score/errors.hpp"

namespace fabricast::inline calibration {

// Times of one size differ at least so much from run to run, as a share.
inline constexpr double least_noise = 0.005;

struct CalibratedFigure {
    FigureName name;
    std::string unit;
    double before = 0;  // the catalogue's value
    FittedValue fitted;
};

struct CalibratedRow {
    std::string dataset;
    Bytes size;
    double measured = 0, before = 0, after = 0;  // seconds: measured, forecast with the catalogue, with the overlay
    bool judged = false;                         // false: the row was fitted
    std::string dropped;                         // why the row counts as an outlier; empty: it does not
};

struct Calibration {
    std::vector<CalibratedFigure> figures;
    std::vector<KeptFigure> kept;
    std::vector<CalibratedRow> rows;
    // The 10th and 90th percentile of measured / forecast over the judged rows, by regime; the range always includes 1.
    std::map<Regime, RatioRange> judged;
};

// The measurements as data to fit, without those that have no healthy row; `told` hears of each comparison. Throws as
// compare() does, and InputError at a measurement that is there twice, by its id or its rows: the fit would be surer
// than it is.
std::vector<FitDataset> fit_data(const std::vector<Measurement>& measurements, const Catalog& catalog,
                                 FabricCache& cache, const std::optional<Scenario>& scenario,
                                 const std::function<void(const Comparison&)>& told = {});

// Fits only the figures `only` ("part/figure"), each of which the data must determine; if there are none, all figures
// that the data determine. `cache` must hold fabrics of `catalog`. Throws UnderDetermined.
Calibration calibrate(const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache,
                      const std::vector<FigureName>& only = {});

// The catalogue with the calibration's figures.
Catalog with_calibration(const Catalog& catalog, const Calibration& calibration);

}  // namespace fabricast::inline calibration
