#pragma once
// How far forecasts of a kind of training are off that the constants have not seen: every figure that was fitted is
// refitted without each family of tables, and that family simulated again with what comes out.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validate/training/training_accuracy.hpp"

namespace fabricast {

// A figure that is refitted: what it would be taken for without any table, and how far ln(figure) may lie from that.
// It stands for every part that has the same figure from it.
struct TrainingConstant {
    std::string part, figure;
    double value = 0, spread = 0;
};
const std::vector<TrainingConstant>& training_constants();

// The constant behind a part's figure; its index, or none where the figure is not refitted.
std::optional<std::size_t> constant_behind(const Catalog& catalog, const std::string& part, const std::string& figure);

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

// Slopes of all rows that count, by simulating each with each constant that it uses a little larger. Minutes.
std::vector<RowSlope> slopes(const std::vector<TrainingTable>& tables, const Catalog& catalog, std::size_t threads);

// The catalogue with its constants fitted to the tables of all families but `without` ("": of all).
Catalog refitted(const Catalog& catalog, const std::vector<TrainingTable>& tables, const std::vector<RowSlope>& rows,
                 const std::string& without);

// The catalogue's overlay of what `refitted` changed, as YAML.
std::string fit_yaml(const Catalog& before, const Catalog& after);

// What the families were forecast as, left out; and what state of forecasts and priors that belongs to.
struct FamilyOut {
    std::string fingerprint;
    std::map<std::string, std::vector<double>> seconds;  // by table, one a row; 0: no forecast
};

FamilyOut family_out(const std::vector<TrainingTable>& tables, const std::vector<TrainingForecast>& forecasts,
                     const std::vector<RowSlope>& rows, const Catalog& catalog, std::size_t threads);

// Gives each forecast its own left-out one.
void take_family_out(const std::vector<TrainingTable>& tables, const FamilyOut& out,
                     std::vector<TrainingForecast>& forecasts);

// Of every row's measured and forecast time, to four digits, and of the constants' priors: another model, catalogue,
// table or prior makes another one.
std::string training_fingerprint(const std::vector<TrainingTable>& tables,
                                 const std::vector<TrainingForecast>& forecasts);

// Kept beside the measurements between runs.
FamilyOut read_family_out(const std::filesystem::path& file);
void write_family_out(const std::filesystem::path& file, const FamilyOut& out);

}  // namespace fabricast
