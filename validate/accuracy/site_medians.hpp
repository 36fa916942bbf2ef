#pragma once
// The median error of each site in each regime, as the page and its chart show it.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validate/score/errors.hpp"

namespace fabricast {

using RegimeMedians = std::array<std::optional<double>, 3>;  // shares; no value: no rows

// By `group` (a site or a table); groups without a selected row are absent. `selection` is used for each regime.
inline std::map<std::string, RegimeMedians> regime_medians(std::string ComparedRow::*group,
                                                           const std::vector<ComparedRow>& rows, Selection selection) {
    std::map<std::string, RegimeMedians> medians;
    for (const Regime regime : all_regimes) {
        selection.regime = regime;
        for (const auto& [name, errors] : errors_by(group, rows, selection)) {
            medians[name][index_of(regime)] = errors.median;
        }
    }
    return medians;
}

inline std::map<std::string, RegimeMedians> site_medians(const std::vector<ComparedRow>& rows, Forecast which,
                                                         std::string_view part = {}) {
    return regime_medians(&ComparedRow::site, rows, {.which = which, .part = part});
}

}  // namespace fabricast
