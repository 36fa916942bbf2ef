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

// Prints every figure of calibration and of intervals. Figures that take minutes to compute are computed only with
// `refit` and are stored in calibrated.yaml of `measurements` with a fingerprint of catalogue and data. Without `refit`
// they are read from that file, and are not printed if it is stale. `refit` also writes the intervals of the catalogue.
// `overlays` contains the fits without each site; if it is empty, the figures that need it are left out.
void tell_calibration(const Catalog& catalog, const SiteOverlays& overlays, const std::vector<FitDataset>& data,
                      const std::vector<ComparedRow>& rows, FabricCache& cache,
                      const std::filesystem::path& measurements, bool refit);

}  // namespace fabricast::inline calibration
