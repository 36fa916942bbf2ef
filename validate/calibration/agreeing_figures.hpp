#pragma once
// What a system's measurements tell without contradicting themselves.
//
// A figure that is the system's own holds for all its collectives, node counts and sizes, so a calibration is tried on
// the pilot itself: each collective, each number of nodes and each regime of size is left out in turn and forecast by a
// fit of the rest. Where it is forecast worse than by the catalogue, and the others gain less by it, the figures
// absorbed something that is not the system's, but the model's misfit of one algorithm or size, and would carry it to
// whatever else is forecast. Every trial is a fit, so this is for pilots: of more rows all that is told is freed.

#include <set>
#include <vector>

#include "validate/calibration/told_figures.hpp"

namespace fabricast::inline calibration {

// The figures of `free` that the data tell and about which they agree; the others are kept. Throws
// UnderDetermined if none is left.
Told agreeing_figures(const Catalog& catalog, const std::vector<CalibratedCurve>& curves,
                      const std::set<FigureName>& free, FabricCache& cache);

}  // namespace fabricast::inline calibration
