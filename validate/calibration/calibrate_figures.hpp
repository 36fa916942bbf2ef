#pragma once
// How well calibration works, as figures of `./dev accuracy`: on data with known costs, on the data of each measured
// system, and from the smallest node counts of a system to its larger ones.

#include <filesystem>
#include <vector>

#include "validate/accuracy/accuracy.hpp"
#include "validate/calibration/calibrate.hpp"
#include "validate/calibration/without_site.hpp"

namespace fabricast::inline calibration {

// Calibrates on synthetic data (5 % noise, 5 % outliers) whose costs were moved away from the catalogue's. Returns the
// largest relative error of a recovered cost over `seeds` runs. 0.01 means 1 %.
double planted_recovery(const Catalog& catalog, int seeds);

// The figures of calibration that take minutes, as calibrated.yaml of `measurements` has them; none if it is stale.
std::vector<NamedFigure> kept_figures(const std::filesystem::path& measurements, const std::string& fingerprint);

// These and planted_recovery_max_pct. With `refit` it first computes them and writes them with a fingerprint of
// catalogue and data, and the intervals of the catalogue. `overlays` contains the fits without each site; if it is
// empty, nothing is computed.
std::vector<NamedFigure> calibration_figures(const Catalog& catalog, const SiteOverlays& overlays,
                                             const Collection& collection, const std::vector<ComparedRow>& rows,
                                             FabricCache& cache, const std::filesystem::path& measurements, bool refit);

}  // namespace fabricast::inline calibration
