#pragma once
// How far forecasts of collectives are from measurements, as figures and as tables for other programs.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/score/errors.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline validate_accuracy {

// Every figure of `./dev accuracy`, in printing order; figures without any row are left out.
std::vector<NamedFigure> accuracy_figures(const std::vector<ComparedRow>& rows);

// The median error of each site or table in each regime, as the page and its chart show it; no value: no rows.
using RegimeMedians = std::array<std::optional<double>, 3>;  // shares
// By `group` (a site or a table); groups without a selected row are absent. `selection` is used for each regime.
std::map<std::string, RegimeMedians> regime_medians(std::string ComparedRow::*group,
                                                    const std::vector<ComparedRow>& rows, Selection selection);
std::map<std::string, RegimeMedians> site_medians(const std::vector<ComparedRow>& rows, Forecast which,
                                                  std::string_view part = {});

// One line for each row.
std::string rows_csv(const std::vector<ComparedRow>& rows);

// One line for each table and regime: median errors in %, and two hashes that change with any forecast of its rows.
std::string curves_csv(const std::vector<ComparedRow>& rows);

// The first table of docs/accuracy.md, what a planner asks first: how far off a forecast is inside a node, between
// nodes, after a pilot, and on parts that nobody measured. It is chosen from figures that others computed.
std::string planner_table(const std::vector<NamedFigure>& figures);

// Each site's errors before and after its pilot (calibration/pilots.hpp).
std::string pilots_table(const std::vector<NamedFigure>& figures);

}  // namespace fabricast::inline validate_accuracy
