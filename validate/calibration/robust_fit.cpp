#include "validate/calibration/robust_fit.hpp"

#include <ceres/ceres.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "base/percentile.hpp"

namespace fabricast::inline calibration {
namespace {

// Ceres sees y = offset + ln(x / prior), so that all parameters have a similar magnitude and one relative step suits
// all.
constexpr double offset = 10;
constexpr double relative_step = 1e-5;  // changes x by 1e-4: well above the picosecond to which forecasts are rounded

double value_of(const FitParameter& parameter, double y) { return parameter.prior * std::exp(y - offset); }
double place_of(const FitParameter& parameter, double value) { return offset + std::log(value / parameter.prior); }

// sign(z) sqrt(rho(z)): its square is the loss.
double softened(double z, bool redescending) {
    const double loss = redescending ? std::log1p(z * z) : 2 * (std::sqrt(1 + z * z) - 1);
    return std::copysign(std::sqrt(loss), z);
}

struct CurveResidual {
    const std::vector<FitParameter>* parameters;
    const FitCurve* curve;
    double scale;
    const bool* redescending;  // the current phase

    bool operator()(double const* const* y, double* residuals) const {
        std::vector<double> values(curve->parameters.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = value_of((*parameters)[curve->parameters[i]], *y[i]);
        }
        const std::span<double> errors(residuals, curve->weights.size());
        curve->errors(values, errors);
        for (std::size_t i = 0; i < errors.size(); ++i) {
            errors[i] = curve->weights[i] * softened(errors[i] / scale, *redescending);
        }
        return true;
    }
};

// Residual W (y - target): the prior of a family with W^T W = C^-1, or one parameter known from another fit.
class LinearResidual : public ceres::CostFunction {
public:
    LinearResidual(Eigen::MatrixXd w, double target) : w_(std::move(w)), target_(target) {
        set_num_residuals(static_cast<int>(w_.rows()));
        mutable_parameter_block_sizes()->assign(static_cast<std::size_t>(w_.cols()), 1);
    }

    bool Evaluate(double const* const* y, double* residuals, double** jacobians) const override {
        Eigen::VectorXd d(w_.cols());
        for (Eigen::Index i = 0; i < d.size(); ++i) { d[i] = *y[i] - target_; }
        Eigen::Map<Eigen::VectorXd>(residuals, w_.rows()) = w_ * d;
        for (Eigen::Index i = 0; jacobians != nullptr && i < d.size(); ++i) {
            if (jacobians[i] != nullptr) { Eigen::Map<Eigen::VectorXd>(jacobians[i], w_.rows()) = w_.col(i); }
        }
        return true;
    }

private:
    Eigen::MatrixXd w_;
    double target_;
};

// Puts every parameter in exactly one family: a parameter without one gets a family of its own.
std::vector<FitFamily> completed(std::vector<FitFamily> families, std::size_t parameters) {
    std::set<std::size_t> placed;
    for (const FitFamily& family : families) { placed.insert(family.parameters.begin(), family.parameters.end()); }
    for (std::size_t p = 0; p < parameters; ++p) {
        if (!placed.contains(p)) { families.push_back({{p}, {1.0}, 0}); }
    }
    return families;
}

// W such that W^T W is the inverse of the covariance of the family.
Eigen::MatrixXd whitening(const FitFamily& family, const std::vector<FitParameter>& parameters) {
    const auto n = static_cast<Eigen::Index>(family.parameters.size());
    Eigen::VectorXd spread(n);
    std::ranges::transform(family.parameters, spread.begin(), [&](std::size_t p) { return parameters[p].spread; });
    const Eigen::Map<const Eigen::MatrixXd> correlation(family.correlation.data(), n, n);
    const Eigen::LLT<Eigen::MatrixXd> cholesky(spread.asDiagonal() * correlation * spread.asDiagonal() +
                                               Eigen::MatrixXd::Constant(n, n, family.common * family.common));
    return cholesky.matrixL().solve(Eigen::MatrixXd::Identity(n, n));
}

std::vector<double*> places_of(const std::vector<std::size_t>& parameters, std::vector<double>& y) {
    std::vector<double*> places;
    std::ranges::transform(parameters, std::back_inserter(places), [&](std::size_t p) { return &y[p]; });
    return places;
}

using CurveCost = ceres::DynamicNumericDiffCostFunction<CurveResidual, ceres::FORWARD>;

ceres::ResidualBlockId add_curve(ceres::Problem& problem, const std::vector<FitParameter>& parameters,
                                 const FitCurve& curve, std::vector<double>& y, double scale,
                                 const bool& redescending) {
    ceres::NumericDiffOptions differences;
    differences.relative_step_size = relative_step;
    auto cost = std::make_unique<CurveCost>(new CurveResidual{&parameters, &curve, scale, &redescending},
                                            ceres::TAKE_OWNERSHIP, differences);
    for (std::size_t i = 0; i < curve.parameters.size(); ++i) { cost->AddParameterBlock(1); }
    cost->SetNumResiduals(static_cast<int>(curve.weights.size()));
    return problem.AddResidualBlock(cost.release(), nullptr, places_of(curve.parameters, y));
}

// Standard deviations of y at the optimum: from the inverse of the sum of the information in the data (scaled by the
// residual variance) and in the priors. A parameter that influences no row keeps the spread of its prior.
std::vector<double> deviations(ceres::Problem& problem, const std::vector<ceres::ResidualBlockId>& data,
                               const std::vector<FitParameter>& parameters, const std::vector<FitFamily>& families,
                               std::vector<double>& y, double variance) {
    ceres::Problem::EvaluateOptions options;
    options.residual_blocks = data;
    for (double& place : y) { options.parameter_blocks.push_back(&place); }
    ceres::CRSMatrix jacobian;
    if (!data.empty()) {  // Ceres takes an empty list as every block
        problem.Evaluate(options, nullptr, nullptr, nullptr, &jacobian);
    }
    const auto n = static_cast<Eigen::Index>(y.size());
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(n, n);
    for (const FitFamily& family : families) {
        const Eigen::MatrixXd w = whitening(family, parameters);
        information(family.parameters, family.parameters) += w.transpose() * w;
    }
    for (Eigen::Index i = 0; i < n; ++i) {
        const FitParameter& p = parameters[static_cast<std::size_t>(i)];
        information(i, i) += p.known > 0 ? 1 / (p.deviation * p.deviation) : 0;
    }
    for (int row = 0; row < jacobian.num_rows; ++row) {
        const auto first = static_cast<std::size_t>(jacobian.rows[static_cast<std::size_t>(row)]);
        const auto last = static_cast<std::size_t>(jacobian.rows[static_cast<std::size_t>(row) + 1]);
        for (std::size_t a = first; a < last; ++a) {
            for (std::size_t b = first; b < last; ++b) {
                information(jacobian.cols[a], jacobian.cols[b]) += jacobian.values[a] * jacobian.values[b] / variance;
            }
        }
    }
    const Eigen::MatrixXd covariance = information.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::VectorXd result = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
    return {result.begin(), result.end()};
}

}  // namespace

double deviation_of(const FittedValue& fitted) {
    return std::log(std::max(fitted.high80 / fitted.value, fitted.value / fitted.low80)) / normal_decile;
}

FitOutcome robust_fit(const std::vector<FitParameter>& parameters, const std::vector<FitFamily>& related,
                      const std::vector<FitCurve>& curves, double observations, const FitOptions& options) {
    const std::vector<FitFamily> families = completed(related, parameters.size());
    std::vector<double> y;
    for (const FitParameter& p : parameters) { y.push_back(place_of(p, std::clamp(p.start, p.low, p.high))); }
    ceres::Problem problem;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const FitParameter& p = parameters[i];
        problem.AddParameterBlock(&y[i], 1);
        if (p.known > 0) {
            const Eigen::MatrixXd weight = Eigen::MatrixXd::Constant(1, 1, options.lambda / p.deviation);
            problem.AddResidualBlock(new LinearResidual(weight, place_of(p, p.known)), nullptr, &y[i]);
        }
        problem.SetParameterLowerBound(&y[i], 0, place_of(p, p.low));
        problem.SetParameterUpperBound(&y[i], 0, place_of(p, p.high));
    }
    for (const FitFamily& family : families) {
        problem.AddResidualBlock(new LinearResidual(options.lambda * whitening(family, parameters), offset), nullptr,
                                 places_of(family.parameters, y));
    }
    bool redescending = false;
    std::vector<ceres::ResidualBlockId> data;
    for (const FitCurve& curve : curves) {
        data.push_back(add_curve(problem, parameters, curve, y, options.scale, redescending));
    }
    ceres::Solver::Options solver;
    solver.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
    solver.logging_type = ceres::SILENT;
    solver.num_threads = 1;
    solver.max_num_iterations = options.iterations;
    solver.function_tolerance = 1e-4;
    ceres::Solver::Summary first;
    ceres::Solve(solver, &problem, &first);
    redescending = true;  // NOLINT(clang-analyzer-deadcode.DeadStores): the curves' losses read it
    ceres::Solver::Summary summary;
    ceres::Solve(solver, &problem, &summary);

    const double variance = std::max(2 * summary.final_cost / std::max(observations, 1.0), 1e-12);
    const std::vector<double> deviation = deviations(problem, data, parameters, families, y, variance);
    FitOutcome outcome;
    outcome.cost_before = first.initial_cost;
    outcome.cost_after = summary.final_cost;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const double value = value_of(parameters[i], y[i]);
        const double factor = std::exp(normal_decile * deviation[i]);
        outcome.values.push_back({value, std::max(value / factor, std::min(parameters[i].low, value)),
                                  std::min(value * factor, std::max(parameters[i].high, value))});
    }
    return outcome;
}

}  // namespace fabricast::inline calibration
