#pragma once
// A calibration as text for people, and as an overlay of the catalogue.

#include <optional>
#include <string>
#include <vector>

#include "validate/calibration/calibrate.hpp"

namespace fabricast::inline calibration {

// Fitted figures with their intervals, figures that were kept and why, outliers, and errors by regime for fitted and
// for judged rows.
std::string to_text(const Calibration& calibration);

// YAML to be merged over the catalogue. Each figure in it, including those that the data used but did not determine,
// has a source marked as measured here; fitted figures name their datasets. The intervals of forecasts that rest only
// on such figures come from the judged rows.
std::string overlay_yaml(const Calibration& calibration, const Catalog& catalog, const std::vector<FitDataset>& data,
                         FabricCache& cache);

// What a calibrated catalogue expects of the same system with more nodes, and which further measurement would tell most
// about it.
struct OutlookRow {
    std::uint32_t nodes = 1;
    Bytes size;
    ForecastRow forecast;
};

// One measurement of one size, and what it would leave of what the constants leave open of the largest forecast: the
// factor between the ends of its 80 % interval, before and after.
struct NextMeasurement {
    Collective collective = Collective::all_reduce;
    std::uint32_t nodes = 1;
    Bytes size;
    double before = 1, after = 1;
    FigureName figure;  // the one that leaves most open
};

struct Outlook {
    Collective collective = Collective::all_reduce;
    std::uint32_t measured_nodes = 1;  // the most that the data have
    std::vector<OutlookRow> rows;      // 2, 8 and 64 times as many nodes
    std::optional<NextMeasurement> next;
    std::string refused;  // why larger systems cannot be forecast; empty if they can
};

// For the curve with the most nodes; of several, the first. `cache` must hold fabrics of the catalogue that
// `calibrated` was made from. Precondition: there are data.
Outlook outlook(const Catalog& calibrated, const Calibration& calibration, const std::vector<FitDataset>& data,
                FabricCache& cache);

std::string to_text(const Outlook& outlook);

}  // namespace fabricast::inline calibration
