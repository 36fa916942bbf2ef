#pragma once
// Errors of rows, summarized by site or table.
//
// The error of a row is |forecast / measured - 1|. Each site (or table) contributes one number: the median error over
// its rows or the 90th percentile. A figure is the median or the mean of these numbers, so that a site with many rows
// counts once. A pooled figure is over all rows, whatever their site, and shows the few bad curves that others hide.

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "validate/score/compared_row.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline score {

// As shares: 0.05 is 5 %.
struct ErrorSummary {
    std::size_t rows = 0;
    double median = 0, p90 = 0, largest = 0, mean = 0;  // of |error|
    double bias = 0;                                    // median of the error with its sign
};
// Takes errors with their sign.
ErrorSummary summary_of(const std::vector<double>& errors);

// Which rows are selected. Rows that are unusable or lack the forecast are never selected.
struct Selection {
    Forecast which = Forecast::ours;
    std::optional<Regime> regime = std::nullopt;  // no value: every size
    std::string_view part = {};                   // its beginning; empty: every part
    bool everything = false;                      // excluded rows too
    // Rows with siblings, or without; no value: both. It means the siblings of the fit that `which` comes from.
    std::optional<bool> sibling = std::nullopt;
};
bool selects(const Selection& selection, const ComparedRow& row);

ErrorSummary errors_of(const std::vector<ComparedRow>& rows, const Selection& selection);

using GroupErrors = std::map<std::string, ErrorSummary>;
// By `ComparedRow::site` or `::table`; groups without a selected row are absent.
GroupErrors errors_by(std::string ComparedRow::*group, const std::vector<ComparedRow>& rows,
                      const Selection& selection);

// Over the groups; no value and 0 if there are none.
std::optional<double> median_over(const GroupErrors& groups, double ErrorSummary::*figure);
double mean_over(const GroupErrors& groups, double ErrorSummary::*figure);

// How wide an 80 % interval of measured / forecast must be, told by groups of rows (sites, published tables).

// measured / forecast.
struct RatioRange {
    double low80 = 1, high80 = 1;
    bool holds(double ratio) const { return low80 <= ratio && ratio <= high80; }
    // `power` times as wide in logarithms.
    RatioRange widened(double power) const;
};

struct WeightedValue {
    double value = 0, weight = 1;
};
// The value up to which this share of the weight lies. At least one value.
double weighted_quantile(std::vector<WeightedValue> values, double share);

// |ln(measured / forecast)| of a row; rows that tell the same together have the weight of one.
using WeightedDistance = WeightedValue;
// The distance that holds 80 % of the weight. At least one row.
inline double percentile80(std::vector<WeightedDistance> rows) { return weighted_quantile(std::move(rows), 0.8); }
// The same, widened by the ratio of Student's t to the normal quantile: the rows come from so few `groups` of their
// own.
double half_width80(std::vector<WeightedDistance> rows, double groups);

// The interval that contains 80 % of the distances of all groups, with equal weight for each group.
using RatioGroups = std::map<std::string, std::vector<double>>;
RatioRange range_of(const RatioGroups& groups);

// Rows by table, in one line of a CSV file each: what docs/ keeps, beside which a command writes every row to build/.

using RowGroup = std::vector<ComparedRow>;  // at least one

// Rows with the same key are a group; groups are in the order of their keys.
template <class Key> std::vector<RowGroup> row_groups(const std::vector<ComparedRow>& rows, const Key& key) {
    std::map<decltype(key(rows.front())), RowGroup> groups;
    for (const ComparedRow& row : rows) { groups[key(row)].push_back(row); }
    std::vector<RowGroup> list;
    for (auto& [unused, group] : groups) { list.push_back(std::move(group)); }
    return list;
}

// Seven digits: smaller differences do not show in any figure.
inline std::string seven_digits(double value) { return fmt::format("{:.7g}", value); }

// The number of rows with a forecast, excluded ones too.
inline std::string rows_cell(const RowGroup& group) {
    return fmt::format("{}", errors_of(group, {.everything = true}).rows);
}

// "no" if every row is excluded.
inline std::string counted_cell(const RowGroup& group) { return errors_of(group, {}).rows > 0 ? "yes" : "no"; }

// The median error in %, of excluded rows too; empty if there is no such forecast.
template <Forecast which> std::string median_cell(const RowGroup& group) {
    const ErrorSummary errors = errors_of(group, {.which = which, .everything = true});
    return errors.rows == 0 ? "" : fmt::format("{:.3f}", 100 * errors.median);
}

// A hash of what was measured and of these forecasts, which changes with the seventh digit of any.
template <Forecast... which> std::string hash_cell(const RowGroup& group) {
    std::uint64_t hash = fnv1a("");
    for (const ComparedRow& row : group) {
        hash = fnv1a(fmt::format("{} {} {}", row.size.count, row.used(), seven_digits(row.measured)), hash);
        ((hash = fnv1a(" " + seven_digits(row[which]), hash)), ...);
    }
    return fmt::format("{:08x}", static_cast<std::uint32_t>(hash ^ (hash >> 32U)));
}

}  // namespace fabricast::inline score
