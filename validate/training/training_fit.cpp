#include "validate/training/training_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/percentile.hpp"
#include "base/text.hpp"

namespace fabricast::inline validate_training {

namespace {

constexpr int rounds = 3;

// The rows as linear functions around what has been fitted so far.
void move_to(std::vector<RowSlope>& rows, const std::vector<TrainingForecast>& forecasts,
             const std::vector<double>& changes) {
    std::map<std::pair<const TrainingTable*, std::size_t>, double> residuals;
    for (const TrainingForecast& f : forecasts) {
        if (f.counts()) { residuals[{f.table, f.row}] = std::log(f.forecast_s / f.measured_s); }
    }
    for (RowSlope& row : rows) {
        row.residual = residuals.at({row.table, row.row}) - (row.base ? residuals.at({row.table, *row.base}) : 0) -
                       std::inner_product(changes.begin(), changes.end(), row.slope.begin(), 0.0);
    }
}

// Variances of the jackknife over families: (n - 1) / n times the sum of squares.
std::vector<double> by_families(const std::vector<RowSlope>& rows, const Catalog& catalog) {
    std::set<std::string> families;
    for (const RowSlope& row : rows) { families.insert(row.table->family); }
    std::vector<std::vector<double>> without;
    for (const std::string& family : families) { without.push_back(refitted_changes(catalog, rows, family)); }
    const auto n = static_cast<double>(families.size());
    std::vector<double> variances(training_constants().size(), 0);
    for (std::size_t k = 0; k < variances.size(); ++k) {
        double mean = 0;
        for (const auto& one : without) { mean += one[k] / n; }
        for (const auto& one : without) { variances[k] += (n - 1) / n * (one[k] - mean) * (one[k] - mean); }
    }
    return variances;
}

std::string written(double value, const std::string& unit, int digits) {
    const auto number = [&](double scaled) { return fmt::format("{:.{}g}", scaled, digits); };
    if (unit == "s") { return value < 1e-3 ? number(value * 1e6) + " us" : number(value * 1e3) + " ms"; }
    if (unit == "B/s") { return number(value * 1e-9) + " GB/s"; }
    return number(value);
}

std::string line_of(const std::string& name, const Figure& before, const ConstantFit& fit) {
    const double value = before.value.front() * std::exp(fit.change);
    const double wide = std::exp(normal_decile * fit.deviation);
    const bool share = before.unit.empty() && value < 1 && name != "pace";  // of a peak, a bandwidth
    const double high = share ? std::min(1.0, value * wide) : value * wide;
    return fmt::format("    {}: {{value: {}, low80: {}, high80: {}, origin: fitted, source: \"{}\"}}", name,
                       written(value, before.unit, 4), written(value / wide, before.unit, 3),
                       written(high, before.unit, 3), fitted_source);
}

}  // namespace

std::vector<ConstantFit> fit_constants(const std::vector<TrainingTable>& tables, std::vector<RowSlope> rows,
                                       const Catalog& catalog, std::size_t threads) {
    std::vector<double> changes;
    for (int round = 0; round < rounds; ++round) {
        changes = refitted_changes(catalog, rows, "");
        move_to(rows, forecast_tables(tables, scaled(catalog, changes), threads), changes);
    }
    const std::vector<double> own = variances(rows, changes), jackknifed = by_families(rows, catalog);
    std::vector<ConstantFit> fit;
    for (std::size_t k = 0; k < changes.size(); ++k) { fit.push_back({changes[k], std::sqrt(own[k] + jackknifed[k])}); }
    return fit;
}

std::string with_fit(std::string_view yaml, const Catalog& before, const std::vector<ConstantFit>& fit) {
    std::string out;
    std::string part;
    for (const std::string_view line : split(yaml, '\n')) {
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        const std::string key(line.substr(indent, line.find(':') == line.npos ? 0 : line.find(':') - indent));
        if (indent == 0 && before.parts.contains(key)) { part = key; }
        std::optional<std::size_t> constant;
        if (indent == 4 && !part.empty() && before.parts.at(part).figures.contains(key)) {
            constant = constant_behind(before, part, key);
        }
        out += constant ? line_of(key, before.parts.at(part).figure(key), fit.at(*constant)) : std::string(line);
        out += '\n';
    }
    return out;
}

}  // namespace fabricast::inline validate_training
