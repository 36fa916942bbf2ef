#pragma once
// Robust least squares over the logarithms of positive figures: the one door to Ceres.
//
// Minimises  sum_i w_i^2 rho(e_i / scale)  +  lambda^2 sum_f d_f^T C_f^-1 d_f
// with d_j = ln x_j - ln prior_j, C_f the covariance of one family of parameters (a parameter of none has its spread
// squared), and e_i = ln(predicted_i / measured_i), in two phases. First rho(z) = 2 (sqrt(1 + z^2) - 1), linear far
// out, finds the valley from any start; then rho(z) = ln(1 + z^2) (Cauchy), nearly flat far out: of systems that
// contradict each other the majority is fitted, not a compromise that suits none. Deterministic: the same input gives
// the same bytes.

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

// A figure to be fitted. Precondition: 0 < low <= start, prior <= high.
struct FitParameter {
    std::string name;
    double start = 1;
    double prior = 1;
    double spread = 0.6;  // of ln x about ln prior
    double low = 0, high = 0;
    double known = 0;  // above zero: told elsewhere, with this standard deviation of ln x; here for its family's sake
    double deviation = 0;
};

// Parameters whose priors go together: correlations of their logarithms, row by row, positive definite.
struct FitFamily {
    std::vector<std::size_t> parameters;
    std::vector<double> correlation;
};

// One measured curve: which parameters move it, the weight of each row, and the errors for given values of those.
struct FitCurve {
    std::vector<std::size_t> parameters;
    std::vector<double> weights;
    // Fills e_i; false where the values cannot be evaluated.
    std::function<bool(std::span<const double> values, std::span<double> errors)> errors;
};

struct FitOptions {
    double scale = 0.08;   // an error of this size begins to count as far out
    double lambda = 0.15;  // strength of the priors
    int iterations = 30;
};

struct FittedValue {
    double value = 0;
    double low80 = 0, high80 = 0;  // from the Jacobian and the residuals, each (site, regime) counted as one
                                   // observation; not beyond the parameter's bounds
};

// The standard deviation of ln x that the interval stands for: of its longer side, as a bound may cut the other.
double deviation_of(const FittedValue& fitted);

struct FitOutcome {
    std::vector<FittedValue> values;  // in the order of the parameters
    double cost_before = 0, cost_after = 0;
    int iterations = 0;
};

// `observations`: how many independent observations the weights stand for (their squares sum to it).
FitOutcome robust_fit(const std::vector<FitParameter>& parameters, const std::vector<FitFamily>& families,
                      const std::vector<FitCurve>& curves, double observations, const FitOptions& options = {});

}  // namespace fabricast
