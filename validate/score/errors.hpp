#pragma once
// Errors of rows, summarized by site or table.
//
// The error of a row is |forecast / measured - 1|. Each site (or table) contributes one number: the median error over
// its rows or the 90th percentile. A figure is the median or the mean of these numbers, so that a site with many rows
// counts once. A pooled figure is over all rows, whatever their site, and shows the few bad curves that others hide.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/score/compared_row.hpp"
#include "validate/score/regime.hpp"

namespace fabricast::inline score {

// As shares: 0.05 is 5 %.
struct ErrorSummary {
    std::size_t rows = 0;
    double median = 0, p90 = 0, largest = 0;  // of |error|
    double bias = 0;                          // median of the error with its sign
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

}  // namespace fabricast::inline score
