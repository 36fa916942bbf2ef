#include "validate/diagnose/diagnose.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/percentile.hpp"
#include "sim/scenario/build.hpp"
#include "validate/score/compared_row.hpp"

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

// 95 % of healthy logs have a distance below this: the Wilson-Hilferty approximation of the chi-squared quantile.
double healthy_limit(std::size_t rows) {
    const auto n = static_cast<double>(rows);
    const double third = 1 - 2 / (9 * n) + 1.645 * std::sqrt(2 / (9 * n));
    return n * third * third * third;
}

// A cause must be so much likelier than the healthy system (in -2 log-likelihood); more if the log looks healthy.
constexpr double better_if_healthy = 8;
constexpr double better_if_not = 4;
// If the distance of the best cause exceeds the limit for a healthy log by more than this factor, no cause fits.
constexpr double fits = 1.6;
// A cause that changes no size by more than this share would not show.
constexpr double shows = 0.03;
// If two curves differ by less than this share at every size, the log cannot tell their causes apart.
constexpr double same = 0.03;

// Penalty for a degree that was fitted to the log: minus twice the log-likelihood for one free parameter (Akaike).
constexpr double fitted_degree = 2;
// Causes whose cost is at most this much above the best fit about as well: less than a factor of e^1.5 in likelihood.
constexpr double as_well = 3;

constexpr double width80 = 2.5631031310892007;  // width of the 80 % interval of a standard normal distribution
constexpr double widest = 1;                    // a step of more than a factor of e says nothing about the slope

// One standard deviation of ln(figure); 0 if it has no interval.
double deviation(const Figure& figure) {
    if (figure.low80 <= 0 || figure.high80 <= figure.low80) { return 0; }
    return std::min(std::log(figure.high80 / figure.low80) / width80, widest);
}

// One forecast curve (in seconds), and how each uncertain constant changes it.
struct UncertainCurve {
    std::vector<double> seconds;
    Sensitivities constants;
    std::vector<ForecastRow> rows = {};  // of `seconds`, only by uncertain_curve
};

UncertainCurve uncertain_curve(const Suspect& suspect, const std::vector<TimedRow>& rows, const Catalog& catalog) {
    Catalog working = catalog;
    const Fabric fabric(suspect.cluster);
    const CurveForecaster forecaster(suspect.scenario, fabric, working);
    UncertainCurve result;
    std::set<std::string> used;
    for (const TimedRow& row : rows) {
        const ForecastRow& forecast = result.rows.emplace_back(forecaster.at(row.size));
        result.seconds.push_back(forecast.seconds);
        used.insert(forecast.costs.begin(), forecast.costs.end());
    }
    for (const std::string& name : used) {
        Figure& figure = figure_of(working, name);
        const double step = deviation(figure);
        if (step <= 0) { continue; }
        const double before = figure.value[0];
        figure.value[0] = before * std::exp(step);
        std::vector<double> moved;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            moved.push_back(std::log(forecaster.seconds(rows[i].size) / result.seconds[i]));
        }
        figure.value[0] = before;
        result.constants.push_back(std::move(moved));
    }
    return result;
}

bool differ(const std::vector<double>& with, const std::vector<double>& without, double by) {
    return !std::ranges::equal(with, without,
                               [by](double one, double other) { return std::abs(one / other - 1) <= by; });
}

// Whether the log is faster than expected in the median and under 15 % slower at 90 % of its sizes: no fault.
bool is_fast(const Diagnosis& d) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < d.rows.size(); ++i) { ratios.push_back(d.rows[i].seconds / d.healthy[i].seconds); }
    return percentile(ratios, 50).value_or(1) < 1 && percentile(ratios, 90).value_or(1) < 1.15;
}

Finding verdict_of(const Diagnosis& d) {
    const bool near = d.healthy_fit.distance <= d.healthy_limit;
    const bool looks_healthy = near || is_fast(d);
    const double better = d.ranked.empty() ? 0 : d.healthy_fit.cost - d.ranked.front().fit.cost;
    const Finding found = d.named > 1 ? Finding::several_fit : Finding::likely_cause;
    if (looks_healthy && better >= better_if_healthy) { return found; }
    if (looks_healthy) { return near ? Finding::nothing_wrong : Finding::faster; }
    const bool explained = !d.ranked.empty() && d.ranked.front().fit.distance <= fits * d.healthy_limit;
    return better >= better_if_not && explained ? found : Finding::none_fits;
}

// For each cause, finds the other causes with the same curve.
void find_alike(std::vector<RankedCause>& ranked) {
    for (RankedCause& a : ranked) {
        for (const RankedCause& b : ranked) {
            if (a.cause != b.cause && !differ(a.seconds, b.seconds, same)) { a.alike.push_back(b.cause); }
        }
    }
}

// Whether the system with the fault uses the same constants as the healthy one, so that both share the uncertainty.
bool keeps_constants(const Suspect& healthy, const Suspect& suspect) {
    return healthy.scenario.library.network_plugin == suspect.scenario.library.network_plugin &&
           healthy.scenario.launch.mode == suspect.scenario.launch.mode &&
           healthy.cluster.node.gpu_direct == suspect.cluster.node.gpu_direct &&
           healthy.cluster.node.peer_to_peer == suspect.cluster.node.peer_to_peer;
}

// Compares one log with the causes, one at a time.
struct Trying {
    const Suspect& healthy;
    const UncertainCurve& expected;
    Evidence evidence;
    const std::vector<TimedRow>& rows;
    const Catalog& catalog;

    // Empty if the system cannot have the cause, or cannot run the collective with it; then it is not the log's.
    std::optional<RankedCause> at(const Cause& cause, double degree, std::uint32_t place = 0) const {
        Suspect suspect = healthy;
        suspect.place = place;
        if (!cause.apply(suspect, degree)) { return std::nullopt; }
        try {
            const UncertainCurve with = keeps_constants(healthy, suspect)
                                            ? UncertainCurve{curve(suspect, rows, catalog), expected.constants}
                                            : uncertain_curve(suspect, rows, catalog);
            RankedCause ranked{
                &cause, misfit(rows, with.seconds, with.constants, evidence), degree, 0, {}, with.seconds, {}};
            ranked.fit.cost += cause.degree == Degree::none ? 0 : fitted_degree;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const double ratio = with.seconds[i] / expected.seconds[i];
                if (ratio > ranked.slowdown) {
                    ranked.slowdown = ratio;
                    ranked.slowest = rows[i].size;
                }
            }
            return ranked;
        } catch (const PlanError&) {
        } catch (const ClusterError&) {
        } catch (const Unreachable&) {
        } catch (const InputError&) {}
        return std::nullopt;
    }

    // At the degree that makes the log likeliest: the best of a few degrees. If this is a share and already likelier
    // than the healthy system (with `healthy_cost`), also searches between the neighbouring degrees.
    std::optional<RankedCause> best(const Cause& cause, double healthy_cost) const {
        std::optional<RankedCause> best;
        std::uint32_t place = 0;
        const auto take = [&](double degree, std::uint32_t where) {
            std::optional<RankedCause> tried = at(cause, degree, where);
            if (tried && (!best || tried->fit.cost < best->fit.cost)) {
                best = std::move(tried);
                place = where;
            }
        };
        for (std::uint32_t where = 0; where < cause.places; ++where) {
            for (const double degree : first_degrees(cause.degree)) { take(degree, where); }
        }
        if (cause.degree == Degree::share && best && best->fit.cost < healthy_cost) {
            for (const double factor : {1.25, 1.12, 1.05}) {
                const double middle = best->degree;
                take(middle / factor, place);
                take(std::min(1.0, middle * factor), place);
            }
        }
        return best;
    }
};

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

std::vector<double> curve(const Suspect& suspect, const std::vector<TimedRow>& rows, const Catalog& catalog) {
    const Fabric fabric(suspect.cluster);
    const CurveForecaster forecaster(suspect.scenario, fabric, catalog);
    std::vector<double> seconds;
    for (const TimedRow& row : rows) { seconds.push_back(forecaster.seconds(row.size)); }
    return seconds;
}

Diagnosis diagnose(const Scenario& scenario, const std::vector<TimedRow>& rows, const Catalog& catalog) {
    Diagnosis d;
    d.rows = rows;
    const Suspect healthy{scenario, build(scenario, catalog)};
    const UncertainCurve expected = uncertain_curve(healthy, rows, catalog);
    d.healthy = expected.rows;
    Evidence evidence = Evidence::measured_here;
    for (const ForecastRow& row : d.healthy) { evidence = std::max(evidence, row.evidence); }
    d.healthy_fit = misfit(rows, expected.seconds, expected.constants, evidence);
    d.healthy_limit = healthy_limit(rows.size());
    const Trying trying{healthy, expected, evidence, rows, catalog};
    for (const Cause& cause : causes()) {
        std::optional<RankedCause> tried = trying.best(cause, d.healthy_fit.cost);
        if (!tried) { continue; }
        // A fitted degree may turn out harmless; what counts is whether the cause would show at its worst degree.
        const std::optional<RankedCause> worst =
            cause.degree == Degree::share ? trying.at(cause, first_degrees(cause.degree).back()) : tried;
        if (!worst || !differ(worst->seconds, expected.seconds, shows)) {
            d.unseen.emplace_back(cause.words);
        } else if (differ(tried->seconds, expected.seconds, shows)) {
            d.ranked.push_back(std::move(*tried));
        }
    }
    std::ranges::stable_sort(d.ranked, {}, [](const RankedCause& r) { return r.fit.cost; });
    find_alike(d.ranked);
    for (const RankedCause& r : d.ranked) { d.named += r.fit.cost - d.ranked.front().fit.cost <= as_well ? 1 : 0; }
    d.verdict = verdict_of(d);
    return d;
}

}  // namespace fabricast::inline diagnosis
