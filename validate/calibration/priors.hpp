#pragma once
// What is known of the fitted figures without any data: validate/calibration/priors.yaml.

#include <string>
#include <string_view>
#include <vector>

#include "validate/calibration/robust_fit.hpp"
#include "validate/curves/cost_figure.hpp"

namespace fabricast::inline calibration {

// A bound that no prior states is this factor above or below the value: e^2.5.
inline constexpr double widest_factor = 12.182493960703473;

// The prior of the figures that match a glob over "part/figure"; the first match wins.
struct Prior {
    std::string match;
    double value = 0;  // SI
    double spread = 0.6;
    double low = 0, high = 0;  // bounds; 0: a factor of e^2.5 below or above `value`
};
const std::vector<Prior>& builtin_priors();
// nullptr if there is none.
const Prior* prior_of(const FigureName& name);
// The figure as a parameter that starts at `value` and is believed to be there, with the spread and bounds of `prior`.
FitParameter parameter_at(double value, const FigureName& name, const Prior& prior);

}  // namespace fabricast::inline calibration
