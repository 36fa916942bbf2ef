#include "validate/score/errors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/percentile.hpp"

namespace fabricast::inline score {

namespace {

// 90 % quantile of Student's t: exact for 1 and 2 degrees of freedom, by the Cornish-Fisher expansion above
// (Abramowitz and Stegun, 26.7.5; within 0.1 %).
double t90(double freedom) {
    if (freedom < 1.5) { return 3.0776835; }
    if (freedom < 2.5) { return 1.8856181; }
    const double z = normal_decile, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

}  // namespace

ErrorSummary summary_of(const std::vector<double>& errors) {
    std::vector<double> absolute;
    for (const double error : errors) { absolute.push_back(std::abs(error)); }
    const double sum = std::accumulate(absolute.begin(), absolute.end(), 0.0);
    return {errors.size(),
            percentile(absolute, 50).value_or(0),
            percentile(absolute, 90).value_or(0),
            percentile(absolute, 100).value_or(0),
            sum / static_cast<double>(std::max<std::size_t>(errors.size(), 1)),
            percentile(errors, 50).value_or(0)};
}

bool selects(const Selection& selection, const ComparedRow& row) {
    const bool usable = row.counted() || (selection.everything && row.use == RowUse::excluded);
    const bool sibling = selection.which == Forecast::publisher_out ? row.publisher_sibling : row.sibling;
    return usable && row.compares(selection.which) && sibling == selection.sibling.value_or(sibling) &&
           regime_of(row.size) == selection.regime.value_or(regime_of(row.size)) &&
           row.part.starts_with(selection.part);
}

ErrorSummary errors_of(const std::vector<ComparedRow>& rows, const Selection& selection) {
    std::vector<double> errors;
    for (const ComparedRow& row : rows) {
        if (selects(selection, row)) { errors.push_back(row.error(selection.which)); }
    }
    return summary_of(errors);
}

GroupErrors errors_by(std::string ComparedRow::*group, const std::vector<ComparedRow>& rows,
                      const Selection& selection) {
    std::map<std::string, std::vector<double>> errors;
    for (const ComparedRow& row : rows) {
        if (selects(selection, row)) { errors[row.*group].push_back(row.error(selection.which)); }
    }
    GroupErrors groups;
    for (const auto& [name, list] : errors) { groups[name] = summary_of(list); }
    return groups;
}

std::optional<double> median_over(const GroupErrors& groups, double ErrorSummary::*figure) {
    std::vector<double> values;
    for (const auto& [name, errors] : groups) { values.push_back(errors.*figure); }
    return percentile(values, 50);
}

double mean_over(const GroupErrors& groups, double ErrorSummary::*figure) {
    double sum = 0;
    for (const auto& [name, errors] : groups) { sum += errors.*figure; }
    return groups.empty() ? 0 : sum / static_cast<double>(groups.size());
}

RatioRange RatioRange::widened(double power) const { return {std::pow(low80, power), std::pow(high80, power)}; }

double weighted_quantile(std::vector<WeightedValue> values, double share) {
    std::ranges::sort(values, {}, &WeightedValue::value);
    double all = 0, within = 0;
    for (const WeightedValue& one : values) { all += one.weight; }
    for (const WeightedValue& one : values) {
        within += one.weight;
        if (within >= share * all * (1 - 1e-12)) { return one.value; }
    }
    return values.back().value;
}

double half_width80(std::vector<WeightedDistance> rows, double groups) {
    return percentile80(std::move(rows)) * t90(std::max(groups - 1, 1.0)) / normal_decile;
}

RatioRange range_of(const RatioGroups& groups) {
    std::vector<WeightedDistance> rows;
    for (const auto& [group, ratios] : groups) {
        for (const double ratio : ratios) {
            rows.push_back({std::abs(std::log(ratio)), 1 / static_cast<double>(ratios.size())});
        }
    }
    const double half = half_width80(std::move(rows), static_cast<double>(groups.size()));
    return {std::exp(-half), std::exp(half)};
}

}  // namespace fabricast::inline score
