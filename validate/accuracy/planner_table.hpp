#pragma once
// What a planner asks first: how far off a forecast is inside a node, between nodes, after a pilot, and on parts that
// nobody measured. Everything here is chosen from figures that others computed.

#include <string>
#include <vector>

#include "validate/score/page.hpp"

namespace fabricast::inline validate_accuracy {

// inside_loso_<regime>_median_pct and between_loso_..., of sites with a sibling in the fit without them, and
// unseen_..., of sites without one, inside a node and between nodes together: under these names what `figures` has as
// nccl_inside_loso_..., nccl_between_loso_... and nccl_loso_without_sibling_...
std::vector<NamedFigure> headline_figures(const std::vector<NamedFigure>& figures);

// The first table of docs/accuracy.md.
std::string planner_table(const std::vector<NamedFigure>& figures);

// Each site's errors before and after its pilot (calibration/pilots.hpp).
std::string pilots_table(const std::vector<NamedFigure>& figures);

}  // namespace fabricast::inline validate_accuracy
