#pragma once
// Our forecasts beside the null models': who is nearer, in each cell of a site, a part and a regime. Ours and the
// fitted nulls are those without the site's publisher, so that neither knows the site.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validate/score/errors.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline validate_accuracy {

inline constexpr std::array<std::pair<Forecast, const char*>, 4> null_models = {
    {{Forecast::null_alphabeta, "alpha–beta"},
     {Forecast::null_tuning, "tuning model"},
     {Forecast::fitted_alphabeta, "alpha–beta, fitted"},
     {Forecast::fitted_tuning, "tuning model, fitted"}}};

// Median errors over the rows of a cell, as shares.
struct NullCell {
    std::string site;
    std::string_view part;
    Regime regime = Regime::small;
    double ours = 0;
    std::array<std::optional<double>, null_models.size()> theirs;  // by null_models; no value: it has no forecast

    // The null that is nearest, if it is nearer than our forecast.
    std::optional<std::size_t> better() const;
};
// By part, site and regime.
std::vector<NullCell> null_cells(const std::vector<ComparedRow>& rows);

// nulls_beaten_<scope>_cells_pct: the share of cells in which no null is nearer, of nulls_beaten_<scope>_cells; and
// nulls_beaten_<scope>_<regime>: how many nulls have the larger median over sites. Scopes: inside a node and between
// nodes, where a sibling was in the fit; and with the sites that have none, `_every_site`.
std::vector<NamedFigure> null_figures(const std::vector<ComparedRow>& rows);

// The cells in which a null is nearer.
std::string null_better_table(const std::vector<ComparedRow>& rows);

}  // namespace fabricast::inline validate_accuracy
