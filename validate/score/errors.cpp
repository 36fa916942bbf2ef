#include "validate/score/errors.hpp"

#include <cmath>

#include "base/percentile.hpp"

namespace fabricast::inline score {

ErrorSummary summary_of(const std::vector<double>& errors) {
    std::vector<double> absolute;
    for (const double error : errors) { absolute.push_back(std::abs(error)); }
    return {errors.size(), percentile(absolute, 50).value_or(0), percentile(absolute, 90).value_or(0),
            percentile(absolute, 100).value_or(0), percentile(errors, 50).value_or(0)};
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

}  // namespace fabricast::inline score
