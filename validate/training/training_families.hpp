#pragma once
// How far off the forecasts are for training tables that the constants were not fitted to: every fitted constant is
// refitted without one family of tables, and that family is simulated again with the result.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validate/training/training_accuracy.hpp"

namespace fabricast::inline validate_training {

// A figure that is refitted (validate/training/priors.yaml): its prior value without any table, and the spread of
// ln(figure) around it. It also scales the same figure of every part that inherits it.
struct TrainingConstant {
    std::string part, figure;
    double value = 0, spread = 0;
};

const std::vector<TrainingConstant>& training_constants();

// The index of the constant that a part's figure comes from; empty if the figure is not refitted.
std::optional<std::size_t> constant_behind(const Catalog& catalog, const std::string& part, const std::string& figure);

// One row as a linear function: the current ln(forecast / measured), and its slope by ln of each constant. With a
// `base`: the difference to that row of the table, which is the error of a scaling efficiency. `noise` is the expected
// size of a residual.
struct RowSlope {
    const TrainingTable* table = nullptr;
    double weight = 1;
    double residual = 0;
    std::vector<double> slope;
    std::size_t row = 0;
    std::optional<std::size_t> base = std::nullopt;
    double noise = 0.03;
};

// The changes of ln(constants) that minimise the weighted sum of |residual|, under a Gaussian prior with mean `start`
// and standard deviation `spread`. Least absolute error by iterative reweighting.
std::vector<double> least_absolute(const std::vector<RowSlope>& rows, const std::vector<double>& start,
                                   const std::vector<double>& spread);

// Slopes of the forecasts that count, of a large table at most twelve, evenly spaced: each is simulated again with each
// constant that it uses slightly increased. Takes minutes. Those of a weak-scaling series are in it twice, the
// second time against the series' smallest run: same software and machine, so that this tells what is lost with scale.
std::vector<RowSlope> slopes(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog,
                             std::size_t threads);

// Changes of ln(constants) by a fit to the tables of all families except `without` ("": to all tables).
std::vector<double> refitted_changes(const Catalog& catalog, const std::vector<RowSlope>& rows,
                                     const std::string& without);
// Variances of such changes, by the prior and the rows.
std::vector<double> variances(const std::vector<RowSlope>& rows, const std::vector<double>& changes);

// The catalogue with ln of every constant, and of the figures behind which it stands, changed by so much.
Catalog scaled(const Catalog& catalog, const std::vector<double>& changes);

// Forecasts of each family by a fit without it, and the fingerprint of the forecasts and priors that they belong to.
struct FamilyOut {
    std::string fingerprint;
    std::map<std::string, std::vector<double>> seconds;  // by table, one per row; 0: no forecast
};

FamilyOut family_out(const std::vector<TrainingForecast>& forecasts, const std::vector<RowSlope>& rows,
                     const Catalog& catalog, std::size_t threads);

// Copies the left-out forecasts into `forecasts`.
void take_family_out(const FamilyOut& out, std::vector<TrainingForecast>& forecasts);

// A hash of the measured and forecast time of every row, to four digits, and of the priors of the constants. It changes
// with the model, the catalogue, the tables or the priors.
std::string training_fingerprint(const std::vector<TrainingForecast>& forecasts);

// Stored next to the measurements between runs.
FamilyOut read_family_out(const std::filesystem::path& file);
void write_family_out(const std::filesystem::path& file, const FamilyOut& out);

}  // namespace fabricast::inline validate_training
