#pragma once
// How well calibration does, as figures of `./dev accuracy`: on data with planted costs, on each measured system's own
// data, and from a system's smallest node counts to its larger ones.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "validate/accuracy.hpp"
#include "validate/calibration/calibrate.hpp"

namespace fabricast {

// Synthetic data with 5 % noise and 5 % outliers of costs moved away from the catalogue's: the largest relative error
// of the planted costs as the calibration finds them, over so many seeds. 0.01: 1 %.
double planted_recovery(const Catalog& catalog, int seeds);

// One system: the curves of a site that have the same GPU, era and fabric.
struct SystemError {
    std::string name;
    std::size_t rows = 0;           // judged
    double small = -1, large = -1;  // median error below and from 16 MiB of the judged rows; negative: there are none
};
// Each healthy system calibrated on every other of its own sizes. On `threads` threads.
std::vector<SystemError> calibrated_systems(const Catalog& catalog, const std::vector<FitDataset>& data,
                                            FabricCache& cache, unsigned threads);

// A pair of validate/measurements/scaleout.yaml.
struct ScaleOut {
    std::string site, fabric, collective;
    std::uint32_t fit_nodes = 0;   // and fewer are fitted
    double limit = 0;              // what its median error may be
    std::set<std::string> except;  // datasets whose difference from another run of the same system nobody explains
    double error = -1;             // median at 16 MiB and above of the larger node counts; negative: no rows
    std::uint32_t largest = 0;     // nodes
};
std::vector<ScaleOut> read_scaleout(const std::filesystem::path& file);
void judge_scaleout(std::vector<ScaleOut>& pairs, const Catalog& catalog, const std::vector<FitDataset>& data,
                    FabricCache& cache);

// Prints every figure of calibration and of intervals. What takes minutes is done only with `refit` and kept in
// calibrated.yaml of `measurements` beside a fingerprint of catalogue and data; without, what stands there is read, and
// nothing where it is stale. `refit` also writes the catalogue's intervals.
void tell_calibration(const Catalog& catalog, const std::vector<FitDataset>& data, const std::vector<AccuracyRow>& rows,
                      FabricCache& cache, const std::filesystem::path& measurements, bool refit);

}  // namespace fabricast
