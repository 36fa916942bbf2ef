#pragma once
// Answers "is my number normal?": compares a measured curve with the forecast of the healthy system, then simulates
// every known cause on that system and compares it with the curve. Nothing may be wrong, or no known cause fit.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_name.hpp"
#include "base/units.hpp"
#include "validate/curves/compare.hpp"
#include "validate/diagnose/causes.hpp"

namespace fabricast::inline diagnosis {

// How badly a forecast fits a measured curve, given the uncertainties.
//
// If the hypothesis is right, the residuals r = ln(measured / forecast) are Gaussian with mean 0 and covariance
//   sum over constants c of s_c^2 j_c j_c^T  +  an offset for each regime  +  noise of each size.
// s_c is the standard deviation of ln c (from the 80 % interval in the catalogue), j_c the derivative of ln(time) of
// each size by ln c. A residual that an uncertain constant may explain therefore costs little; one that no constant
// explains costs much.

// A row of a measured curve that counts.
struct TimedRow {
    Bytes size;
    double seconds = 0;
};

// For each uncertain constant: the change of ln(time) of each size if the constant moves by one standard deviation.
using Sensitivities = std::vector<std::vector<double>>;

struct Misfit {
    double distance = 0;  // r^T C^-1 r; about the number of rows if the hypothesis is right
    // Minus twice the log-likelihood, up to a constant, with the tails of Student's t (five degrees of freedom). The
    // difference between two hypotheses is the log of their likelihood ratio, times -2.
    double cost = 0;
};

// Precondition: `forecast` and each sensitivity have as many entries as there are rows.
Misfit misfit(const std::vector<TimedRow>& measured, const std::vector<double>& forecast,
              const Sensitivities& constants, Evidence evidence);

enum class Finding : std::uint8_t { nothing_wrong, likely_cause, several_fit, none_fits, faster };
inline std::string_view to_string(Finding finding) {
    constexpr std::array<std::string_view, 5> words = {"nothing wrong", "likely cause", "several causes fit",
                                                       "none of my causes fits", "faster than expected"};
    return enum_name(words, finding);
}

struct RankedCause {
    const Cause* cause = nullptr;
    Misfit fit;
    double degree = 1;                // the likeliest, if the cause has degrees
    double slowdown = 1;              // forecast with the cause / healthy forecast, at the size with the largest ratio
    Bytes slowest{};                  // that size
    std::vector<double> seconds;      // one per size that counts
    std::vector<const Cause*> alike;  // causes with the same curve, which no log of this kind can tell apart
};

struct Diagnosis {
    Finding verdict = Finding::nothing_wrong;
    Misfit healthy_fit;
    double healthy_limit = 0;         // upper limit of the distance of a healthy log
    std::vector<RankedCause> ranked;  // causes that change this curve, likeliest first
    std::size_t named = 0;            // this many causes at the front of `ranked` fit about equally well
    std::vector<std::string> unseen;  // causes that would not show in this curve
    std::vector<TimedRow> rows;
    std::vector<ForecastRow> healthy;  // one per row
};

// The suspect's time of each row, in seconds. Throws whatever building and planning the suspect throw.
std::vector<double> curve(const Suspect& suspect, const std::vector<TimedRow>& rows, const Catalog& catalog);

// `scenario` is the healthy system. Throws whatever building and planning it throw.
Diagnosis diagnose(const Scenario& scenario, const std::vector<TimedRow>& rows, const Catalog& catalog);

}  // namespace fabricast::inline diagnosis
