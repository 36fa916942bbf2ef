#pragma once
// How well calibration does, as figures of `./dev accuracy`: on data with planted costs, on each measured system's own
// data, and from a system's smallest node counts to its larger ones.

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "validate/accuracy/accuracy.hpp"
#include "validate/calibration/calibrate.hpp"
#include "validate/calibration/without_site.hpp"

namespace fabricast {

// Synthetic data with 5 % noise and 5 % outliers of costs moved away from the catalogue's: the largest relative error
// of the planted costs as the calibration finds them, over so many seeds. 0.01: 1 %.
double planted_recovery(const Catalog& catalog, int seeds);

// One system: the curves of a site that have the same GPU, era and fabric. Median errors of the judged rows by regime;
// negative: there are none.
struct SystemError {
    std::string name;
    std::size_t rows = 0;  // judged
    std::array<double, 3> before = {-1, -1, -1}, after = {-1, -1, -1};
};

// Each healthy system calibrated on every other of its own sizes, on top of the fit that never saw its site. On
// `threads` threads.
std::vector<SystemError> calibrated_systems(const Catalog& catalog, const SiteOverlays& overlays,
                                            const std::vector<FitDataset>& data, FabricCache& cache, unsigned threads);

// One system's collective measured at several node counts: a pilot and what grew from it.
struct ScaleOut {
    std::string site, fabric, collective;
    std::uint32_t fit_nodes = 0, largest = 0;                           // the pilot's nodes; the largest forecast
    std::array<double, 3> before = {-1, -1, -1}, after = {-1, -1, -1};  // median error by regime of the larger ones
};
// Every healthy system measured between nodes at two node counts or more: calibrated on the curves of its smallest
// count alone, on top of the fit that never saw its site; all its larger ones are judged.
std::vector<ScaleOut> scale_out(const Catalog& catalog, const SiteOverlays& overlays,
                                const std::vector<FitDataset>& data, FabricCache& cache);

// Prints every figure of calibration and of intervals. What takes minutes is done only with `refit` and kept in
// calibrated.yaml of `measurements` beside a fingerprint of catalogue and data; without, what stands there is read, and
// nothing where it is stale. `refit` also writes the catalogue's intervals. `overlays`: the fits without each site;
// what rests on them is left out where there are none.
void tell_calibration(const Catalog& catalog, const SiteOverlays& overlays, const std::vector<FitDataset>& data,
                      const std::vector<AccuracyRow>& rows, FabricCache& cache,
                      const std::filesystem::path& measurements, bool refit);

}  // namespace fabricast
