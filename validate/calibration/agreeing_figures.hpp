#pragma once
// What a system's measurements tell without contradicting themselves.
//
// A figure that is the system's own holds for all its collectives, node counts and sizes, so a calibration is tried on
// the pilot itself: each cell, one collective on one number of nodes in one regime of size, is left out in turn and
// forecast by a fit of the rest. Where a cell is forecast worse than by the catalogue, the figures absorbed something
// that is not the system's, but the model's misfit of one algorithm or size, and would carry it to whatever else is
// forecast.

#include <set>
#include <vector>

#include "validate/calibration/told_figures.hpp"

namespace fabricast::inline calibration {

// The figures of `free` that the data tell and on which all cells of them agree; the others are kept. Throws
// UnderDetermined if none is left.
Told agreeing_figures(const Catalog& catalog, const std::vector<CalibratedCurve>& curves, std::set<FigureName> free,
                      FabricCache& cache);

}  // namespace fabricast::inline calibration
