#pragma once
// One system's own measurements against the catalogue: what a standard cannot tell (base latencies per protocol,
// effective rates, per-operation overheads, what contention costs) is fitted, starting from the catalogue's values.
//
// Every other size of a curve is fitted, the rest judges. A figure that the data hardly move is named and stays as the
// catalogue has it; where none is left, the fit is refused. Deterministic: the same input gives the same bytes.

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "validate/calibration/fit.hpp"

namespace fabricast {

struct CalibrateOptions {
    // Only these figures ("part/figure"); each must be told by the data. Empty: all that the data tell.
    std::vector<FigureName> only;
    double scale = 0.03;   // a relative error of this size begins to count as far out
    double lambda = 0.05;  // strength of the catalogue's values
    int iterations = 40;
    // A figure is told when the data narrow what was known of it (the spread of ln) to this share or less.
    double told = 0.7;
    // |ln(measured / forecast)| beyond so many robust deviations is an outlier.
    double outlier = 5;
};

// The data do not determine what they are to determine; the message names the figures.
struct UnderDetermined : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct CalibratedFigure {
    FigureName name;
    std::string unit;
    double before = 0;  // the catalogue's value
    FittedValue fitted;
    std::set<std::string> datasets;
};

struct KeptFigure {
    FigureName name;
    double narrowed = 1;  // what the data leave of the prior's spread
};

struct CalibratedRow {
    std::string dataset;
    Bytes size;
    double measured = 0, before = 0, after = 0;  // seconds: measured, forecast with the catalogue, with the overlay
    bool judged = false;                         // else fitted
    std::string dropped;                         // why it counts as an outlier
};

struct Calibration {
    std::vector<CalibratedFigure> figures;
    std::vector<KeptFigure> kept;
    std::vector<CalibratedRow> rows;
    // How far measured / forecast of the judged rows lies from 1: 10th and 90th percentile, by regime.
    struct Range {
        double low80 = 1, high80 = 1;
    };
    std::map<Regime, Range> judged;
};

// Throws UnderDetermined. `cache` is of fabrics of `catalog`.
Calibration calibrate(const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache,
                      const CalibrateOptions& options = {});

// The catalogue with the calibration's figures.
Catalog with_calibration(const Catalog& catalog, const Calibration& calibration);

}  // namespace fabricast
