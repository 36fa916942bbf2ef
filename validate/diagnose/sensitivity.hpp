#pragma once
// Effect of the uncertainty of the catalogue's constants on a forecast curve.

#include <vector>

#include "validate/curves/forecast.hpp"
#include "validate/diagnose/causes.hpp"
#include "validate/diagnose/misfit.hpp"

namespace fabricast::inline diagnosis {

// One forecast curve (in seconds), and how each uncertain constant changes it.
struct UncertainCurve {
    std::vector<double> seconds;
    Sensitivities constants;
    std::vector<ForecastRow> rows = {};  // of `seconds`, only by uncertain_curve
};

// Throws whatever building and planning the suspect throw.
UncertainCurve uncertain_curve(const Suspect& suspect, const std::vector<TimedRow>& rows, const Catalog& catalog);
std::vector<double> curve(const Suspect& suspect, const std::vector<TimedRow>& rows, const Catalog& catalog);

}  // namespace fabricast::inline diagnosis
