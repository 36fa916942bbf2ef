#pragma once
// How badly a forecast fits a measured curve, given the uncertainties.
//
// If the hypothesis is right, the residuals r = ln(measured / forecast) are Gaussian with mean 0 and covariance
//   sum over constants c of s_c^2 j_c j_c^T  +  an offset for each regime  +  noise of each size.
// s_c is the standard deviation of ln c (from the 80 % interval in the catalogue), j_c the derivative of ln(time) of
// each size by ln c. A residual that an uncertain constant may explain therefore costs little; one that no constant
// explains costs much.

#include <vector>

#include "base/units.hpp"
#include "sim/report/report.hpp"

namespace fabricast::inline diagnosis {

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

}  // namespace fabricast::inline diagnosis
