#pragma once
// Writes the result of a fit into the YAML of the catalogue, line by line: comments, text and all other figures stay
// unchanged.

#include <map>
#include <string>
#include <vector>

#include "validate/calibration/fit.hpp"

namespace fabricast::inline calibration {

struct PartUpdate {
    std::map<std::string, FittedValue> figures;  // by figure
    double reach = 0;                            // largest node (in GPUs) or cluster (in nodes) in the data
};

// The results of a fit by part: its figures and its largest system.
std::map<std::string, PartUpdate> part_updates(const FitResult& fit, const Catalog& catalog,
                                               const std::vector<FitDataset>& data, FabricCache& cache);

// The text of a catalogue file with the figures of these parts replaced. A figure that was fitted before but that no
// data determine any more takes the value of its prior, and its source says so.
std::string with_updates(std::string_view yaml, const std::map<std::string, PartUpdate>& updates,
                         const Catalog& catalog);

// The whole text of sites.yaml in the catalogue: which sites contributed data, one part for each GPU and link that a
// site has data for.
std::string site_parts(const std::vector<FitDataset>& data, FabricCache& cache);

// Posterior spread / prior spread of a figure: the standard deviations of ln x, from the 80 % interval and from the
// prior.
double share_left(const FittedValue& fitted, const Prior& prior);

// "7.9 us", "12.4 GB/s", "1.21": five digits.
std::string written(double value, const std::string& unit);

}  // namespace fabricast::inline calibration
