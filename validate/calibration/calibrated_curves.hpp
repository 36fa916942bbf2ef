#pragma once
// The curves of a site that a calibration fits: the figures that influence each, which rows fit and which judge, and
// what the rows count.

#include <cstddef>
#include <set>
#include <vector>

#include "validate/calibration/curve_seconds.hpp"

namespace fabricast::inline calibration {

// A curve with the figures that influence it.
struct CalibratedCurve {
    const FitDataset* data;
    std::set<FigureName> used;
    std::vector<std::size_t> fitted;  // indices of the fitted rows; the other rows judge
    std::vector<double> weights;      // of these
};

// Every other size fits, the others judge. Curves count the same for the sizes of a regime, however many rows each has:
// two runs of one system that disagree by more than their rows scatter are two observations, not fifty. All rows
// together count as they would by themselves.
std::vector<CalibratedCurve> calibrated_curves(const std::vector<FitDataset>& data, const Catalog& catalog,
                                               FabricCache& cache);

// The weights of a curve's fitted rows against the priors: n rows of one regime share most of their misfit and tell as
// much as n / (1 + (n - 1) 0.8) independent ones.
std::vector<double> correlated_weights(const CalibratedCurve& curve);

}  // namespace fabricast::inline calibration
