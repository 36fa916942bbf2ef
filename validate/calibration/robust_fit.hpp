#pragma once
// Robust least squares over the logarithms of positive figures. Only this module uses Ceres.
//
// Minimises  sum_i w_i^2 rho(e_i / scale)  +  lambda^2 sum_f d_f^T C_f^-1 d_f
// with e_i = ln(predicted_i / measured_i), d_j = ln x_j - ln prior_j, and C_f the covariance of one family of
// parameters (spread^2 for a parameter without a family). There are two phases:
//   rho(z) = 2 (sqrt(1 + z^2) - 1)   is linear for large z and finds the minimum from any start;
//   rho(z) = ln(1 + z^2)  (Cauchy)   is nearly flat for large z: if systems contradict each other, it fits the
//                                    majority instead of a compromise that fits no system.
// Deterministic: the same input gives the same bytes.

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace fabricast::inline calibration {

// A figure to be fitted. Precondition: 0 < low <= start, prior <= high.
struct FitParameter {
    std::string name;
    double start = 1;
    double prior = 1;
    double spread = 0.6;  // standard deviation of ln x around ln prior
    double low = 0, high = 0;
    double known = 0;  // above zero: known from another fit, with this `deviation` of ln x; only informs its family
    double deviation = 0;
};

// Parameters with correlated priors. `correlation` is that of the logarithms: a positive definite matrix, row by row.
// `common`: the standard deviation of what all of them have in common beside it, as far as the prior's own mean is
// uncertain; the data of all together tell it.
struct FitFamily {
    std::vector<std::size_t> parameters;
    std::vector<double> correlation;
    double common = 0;
};

// One measured curve: the parameters that influence it, the weight of each row, and a function that computes the errors
// for given parameter values.
struct FitCurve {
    std::vector<std::size_t> parameters;
    std::vector<double> weights;
    std::function<void(std::span<const double> values, std::span<double> errors)> errors;  // fills e_i
};

struct FitOptions {
    double scale = 0.08;  // |e_i| from which the loss begins to flatten
    double lambda = 0.6;  // weight of the priors, chosen by leaving sites out
    int iterations = 30;
};

struct FittedValue {
    double value = 0;
    double low80 = 0, high80 = 0;         // from the Jacobian and the residuals, each (site, regime) counted as one
                                          // observation; not beyond the parameter's bounds
    std::set<std::string> datasets = {};  // that determine it, as far as the caller says; none: from similar parts
};

// The standard deviation of ln x that corresponds to the interval. It is taken from the longer side, because a bound
// may cut off the other.
double deviation_of(const FittedValue& fitted);

struct FitOutcome {
    std::vector<FittedValue> values;  // in the order of the parameters
    double cost_before = 0, cost_after = 0;
};

// `observations`: the number of independent observations, which is the sum of the squared weights.
FitOutcome robust_fit(const std::vector<FitParameter>& parameters, const std::vector<FitFamily>& families,
                      const std::vector<FitCurve>& curves, double observations, const FitOptions& options = {});

}  // namespace fabricast::inline calibration
