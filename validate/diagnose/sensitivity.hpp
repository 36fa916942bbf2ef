#pragma once
// What the uncertainty of the catalogue's constants does to a forecast curve.

#include <vector>

#include "validate/curves/forecast.hpp"
#include "validate/diagnose/causes.hpp"
#include "validate/diagnose/misfit.hpp"

namespace fabricast {

// One curve of a system: its times, and what each uncertain constant moves them by.
struct UncertainCurve {
    std::vector<double> seconds;
    Sensitivities constants;
};

// Throws what building and planning the suspect throw.
UncertainCurve uncertain_curve(const Suspect& suspect, const std::vector<TimedRow>& rows, const Catalog& catalog);
std::vector<double> curve(const Suspect& suspect, const std::vector<TimedRow>& rows, const Catalog& catalog);

}  // namespace fabricast
