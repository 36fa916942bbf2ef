#pragma once
// How many constants the fit has, and on how many independent observations they rest.

#include <vector>

#include "validate/calibration/curve_seconds.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline calibration {

// fitted_constants: the figures of the catalogue that a curve of the data reads, all of which the fit frees. fit_cells:
// the cells of the data, each the curves of one site and group in one regime, which the fit counts as one observation.
// constants_below_three_cells: constants that fewer than three cells read; constants_below_three_cells_several_sites:
// those of them whose cells are not of one site, so that their evidence does not say "one site".
std::vector<NamedFigure> fit_size_figures(const Catalog& catalog, const std::vector<FitDataset>& data,
                                          FabricCache& cache);

}  // namespace fabricast::inline calibration
