#pragma once
// How far forecasts of a kind of training are off that the constants have not seen: the figures of
// models/catalog/training.yaml refitted without each family of tables, that family forecast with them.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "validate/training_accuracy.hpp"

namespace fabricast {

// A figure that is refitted: what it would be taken for without any table, and how far ln(figure) may lie from that.
struct TrainingConstant {
    std::string part, figure;
    double value = 0, spread = 0;
};
const std::vector<TrainingConstant>& training_constants();

// One row as a line: ln(forecast / measured) now, and its slope by ln of each constant.
struct RowSlope {
    std::size_t table = 0;
    double weight = 1;
    double residual = 0;
    std::vector<double> slope;
};

// Changes of ln(constants) that make the weighted sum of |residual| smallest, held near `start` by `spread`: least
// absolute error by reweighting.
std::vector<double> least_absolute(const std::vector<RowSlope>& rows, const std::vector<double>& start,
                                   const std::vector<double>& spread);

// Medians of |error| in % by table, each with the whole family of the table left out. Minutes: each constant's slope is
// a forecast of every row that uses it.
std::map<std::string, double> family_out_medians(const std::vector<TrainingTable>& tables, const Catalog& catalog,
                                                 std::size_t threads);

// Kept beside the measurements between runs: `table: percent` lines.
std::map<std::string, double> read_family_out(const std::filesystem::path& file);
void write_family_out(const std::filesystem::path& file, const std::map<std::string, double>& medians);

}  // namespace fabricast
