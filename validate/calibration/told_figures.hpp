#pragma once
// Fits the figures that measurements of one system tell, and keeps those that they do not.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "models/catalog.hpp"
#include "validate/calibration/calibrated_curves.hpp"
#include "validate/calibration/fit.hpp"

namespace fabricast::inline calibration {

// The data do not determine the figures that they should; the message names these figures.
struct UnderDetermined : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// Which figures a fit frees, and how far.
enum class Freedom {
    named,  // those that the user named, as far as their kind varies
    usual,  // all that the data use, as far as sites differ
    links,  // the same, but what an adapter carries of its rate may be far below that of its kind
};

struct KeptFigure {
    FigureName name;
    double narrowed = 1;       // posterior spread / prior spread
    std::string against = "";  // the part of the data that contradicts the rest about it; empty: nothing does
};

// A fit of the figures that the data tell, and those that they do not.
struct Told {
    std::map<FigureName, FittedValue> fit;
    std::vector<KeptFigure> kept;
};

// Throws UnderDetermined: if the data tell none of `free`, or with Freedom::named if they do not tell all.
Told told_figures(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, const std::set<FigureName>& free,
                  FabricCache& cache, Freedom freedom);

// "a/b, c/d".
std::string listed(const std::set<FigureName>& names);

}  // namespace fabricast::inline calibration
