#pragma once
// Writes what a fit found back into the catalogue's YAML, line by line: comments, words and all other figures stay.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validate/calibration/fit.hpp"

namespace fabricast {

struct PartUpdate {
    std::map<std::string, FittedValue> figures;             // by figure
    std::map<std::string, std::set<std::string>> datasets;  // behind each
    double reach = 0;                                       // the largest node or cluster among the data
};

// What a fit says of each part: its figures and what told them.
std::map<std::string, PartUpdate> part_updates(const FitResult& fit, const Catalog& catalog,
                                               const std::vector<FitDataset>& data, FabricCache& cache);

// The text of a catalogue file with these parts' figures replaced. A figure that was fitted but that no data tell any
// more takes its prior and says so.
std::string with_updates(std::string_view yaml, const std::map<std::string, PartUpdate>& updates,
                         const Catalog& catalog, const std::vector<Prior>& priors);

// How much of its prior's spread a figure keeps: the 80 % interval of the one over that of the other, in logarithms.
double share_left(const FittedValue& fitted, const Prior& prior);

// "7.9 us", "12.4 GB/s", "1.21": five digits.
std::string written(double value, const std::string& unit);

}  // namespace fabricast
