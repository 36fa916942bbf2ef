#include "validate/diagnose/misfit.hpp"

#include <array>
#include <cassert>
#include <cmath>

#include "validate/score/regime.hpp"

namespace fabricast::inline diagnosis {
namespace {

// Standard deviations of ln(time) by regime: noise and remaining errors of the model's shape. Source: facts
// nccl-mechanisms.md §2, blind transfers on a known GPU.
constexpr std::array<double, 3> noise{0.05, 0.07, 0.03};
// Standard deviation of an offset that all sizes of a regime share: it belongs to the site; no constant describes it.
constexpr std::array<double, 3> offset{0.07, 0.07, 0.05};
constexpr std::array<double, 5> by_evidence{0.5, 1, 1, 2, 3};
constexpr double degrees = 5;

using Matrix = std::vector<std::vector<double>>;

Matrix covariance(const std::vector<TimedRow>& rows, const Sensitivities& constants, Evidence evidence) {
    const std::size_t n = rows.size();
    const double wide = by_evidence[static_cast<std::size_t>(evidence)];
    Matrix c(n, std::vector<double>(n, 0));
    for (std::size_t i = 0; i < n; ++i) {
        const Regime regime = regime_of(rows[i].size);
        const auto r = static_cast<std::size_t>(regime);
        for (std::size_t k = 0; k < n; ++k) {
            for (const std::vector<double>& constant : constants) { c[i][k] += constant[i] * constant[k]; }
            c[i][k] += regime_of(rows[k].size) == regime ? wide * wide * offset[r] * offset[r] : 0;
        }
        c[i][i] += wide * wide * noise[r] * noise[r];
    }
    return c;
}

// The lower triangle L with L L^T = c. Precondition: c is positive definite, as every covariance with noise.
Matrix cholesky(Matrix c) {
    const std::size_t n = c.size();
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = 0; j < k; ++j) { c[k][k] -= c[k][j] * c[k][j]; }
        assert(c[k][k] > 0);
        c[k][k] = std::sqrt(c[k][k]);
        for (std::size_t i = k + 1; i < n; ++i) {
            for (std::size_t j = 0; j < k; ++j) { c[i][k] -= c[i][j] * c[k][j]; }
            c[i][k] /= c[k][k];
        }
    }
    return c;
}

}  // namespace

Misfit misfit(const std::vector<TimedRow>& measured, const std::vector<double>& forecast,
              const Sensitivities& constants, Evidence evidence) {
    assert(measured.size() == forecast.size());
    const Matrix lower = cholesky(covariance(measured, constants, evidence));
    const std::size_t n = measured.size();
    std::vector<double> z(n);  // L^-1 r
    double log_determinant = 0;
    Misfit result;
    for (std::size_t i = 0; i < n; ++i) {
        z[i] = std::log(measured[i].seconds / forecast[i]);
        for (std::size_t j = 0; j < i; ++j) { z[i] -= lower[i][j] * z[j]; }
        z[i] /= lower[i][i];
        result.distance += z[i] * z[i];
        log_determinant += 2 * std::log(lower[i][i]);
    }
    result.cost = (degrees + static_cast<double>(n)) * std::log1p(result.distance / degrees) + log_determinant;
    return result;
}

}  // namespace fabricast::inline diagnosis
