#include "validate/calibration/robust_fit.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// t = a + S / b at 20 sizes; a and b planted.
std::vector<double> sizes() {
    std::vector<double> s;
    for (int power = 10; power < 30; ++power) { s.push_back(std::ldexp(1.0, power)); }
    return s;
}

FitCurve line(const std::vector<double>& measured, double weight) {
    const std::vector<double> s = sizes();
    return {{0, 1}, std::vector<double>(s.size(), weight), [=](std::span<const double> x, std::span<double> errors) {
                for (std::size_t i = 0; i < s.size(); ++i) { errors[i] = std::log((x[0] + s[i] / x[1]) / measured[i]); }
                return true;
            }};
}

std::vector<double> planted(double a, double b) {
    std::vector<double> t;
    for (const double s : sizes()) { t.push_back(a + s / b); }
    return t;
}

const std::vector<FitParameter> two = {{"a", 5e-6, 5e-6, 0.6, 1e-7, 1e-3}, {"b", 100e9, 100e9, 0.6, 1e9, 1e12}};

}  // namespace

TEST_CASE("a fit recovers planted constants") {
    const FitOutcome fit = robust_fit(two, {}, {line(planted(12e-6, 235e9), 1)}, 20, {.lambda = 1e-3});
    CHECK(fit.values[0].value == Approx(12e-6).epsilon(1e-3));
    CHECK(fit.values[1].value == Approx(235e9).epsilon(1e-3));
    CHECK(fit.cost_after < 1e-3 * fit.cost_before);
    CHECK(fit.values[0].low80 <= fit.values[0].value);
    CHECK(fit.values[0].high80 >= fit.values[0].value);
}

TEST_CASE("one curve that does not fit cannot drag the others away") {
    const std::vector<double> good = planted(12e-6, 235e9);
    std::vector<double> bad = good;
    for (double& t : bad) {
        t *= 3;  // a degraded system
    }
    const std::vector<FitCurve> curves = {line(good, 1), line(good, 1), line(bad, 1)};
    const FitOutcome fit = robust_fit(two, {}, curves, 60, {.lambda = 1e-3});
    // Plain least squares on logarithms would sit at 3^(1/3) = 1.44 times; the robust loss stays within a few percent.
    CHECK(fit.values[0].value == Approx(12e-6).epsilon(0.05));
    CHECK(fit.values[1].value == Approx(235e9).epsilon(0.05));
}

TEST_CASE("what the data do not tell stays at its prior, with the prior's interval") {
    std::vector<FitParameter> three = two;
    three.push_back({"unused", 4, 2, 0.5, 1, 8});
    const FitOutcome fit = robust_fit(three, {}, {line(planted(12e-6, 235e9), 1)}, 20);
    CHECK(fit.values[2].value == Approx(2).epsilon(1e-3));
    CHECK(fit.values[2].high80 == Approx(2 * std::exp(1.2816 * 0.5)).epsilon(1e-2));
}

TEST_CASE("what no data tell takes what its kin tell, by their correlation") {
    // Of two Gaussians with the same spread: E[x | y] = rho y, Var[x | y] = (1 - rho^2) spread^2, about the priors.
    std::vector<FitParameter> kin(2, {"figure", 3, 3, 0.5, 0.1, 90});
    kin[1].known = 6;
    kin[1].deviation = 1e-3;
    const FitOutcome fit = robust_fit(kin, {{{0, 1}, {1, 0.8, 0.8, 1}}}, {}, 1);
    CHECK(fit.values[0].value == Approx(3 * std::pow(2, 0.8)).epsilon(1e-3));
    CHECK(fit.values[0].high80 / fit.values[0].value == Approx(std::exp(1.2816 * 0.5 * 0.6)).epsilon(1e-2));
    const FitOutcome strangers = robust_fit(kin, {{{0, 1}, {1, 0, 0, 1}}}, {}, 1);
    CHECK(strangers.values[0].value == Approx(3).epsilon(1e-3));
}

TEST_CASE("noise widens the interval, more data narrow it") {
    const auto width = [](double noise, double copies) {
        std::vector<double> t = planted(12e-6, 235e9);
        for (std::size_t i = 0; i < t.size(); ++i) { t[i] *= i % 2 == 0 ? 1 + noise : 1 - noise; }
        const std::vector<FitCurve> curves(static_cast<std::size_t>(copies), line(t, 1));
        const FitOutcome fit = robust_fit(two, {}, curves, 20 * copies, {.lambda = 1e-3});
        return fit.values[1].high80 / fit.values[1].low80 - 1;
    };
    CHECK(width(0.10, 1) > 2 * width(0.02, 1));
    CHECK(width(0.10, 4) < 0.6 * width(0.10, 1));
}

TEST_CASE("values stay within their bounds, and the same input gives the same bytes") {
    std::vector<FitParameter> bounded = two;
    bounded[0].high = 8e-6;
    const auto fit = [&] { return robust_fit(bounded, {}, {line(planted(12e-6, 235e9), 1)}, 20); };
    CHECK(fit().values[0].value <= 8e-6 * (1 + 1e-12));
    CHECK(fit().values[1].value == fit().values[1].value);
    CHECK(fit().values[0].high80 <= 8e-6 * (1 + 1e-12));
}

TEST_CASE("a bound cuts an interval but not what is known: the longer side says that") {
    // Nothing tells it: ln x is normal about ln 1.1 with deviation 0.3, and x is 1 or more.
    const std::vector<FitParameter> wire = {{"wire", 1.1, 1.1, 0.3, 1, 20}};
    const FittedValue fitted = robust_fit(wire, {}, {}, 1).values[0];
    CHECK(fitted.low80 == 1);
    CHECK(fitted.high80 == Approx(1.1 * std::exp(1.2816 * 0.3)).epsilon(1e-3));
    CHECK(deviation_of(fitted) == Approx(0.3).epsilon(1e-3));
}
