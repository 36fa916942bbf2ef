#pragma once
// How badly a forecast fits a measured curve, given what is uncertain about it.
//
// The residuals r = ln(measured / forecast) of a right hypothesis are Gaussian about 0 with the covariance
//     sum over constants c of s_c^2 j_c j_c^T  +  an offset of each regime  +  noise of each size:
// s_c is how uncertain ln c is (the catalogue's 80 % interval), j_c what it moves each size by. So a residual that some
// uncertain constant may explain costs little, and one that none explains costs much.

#include <vector>

#include "base/units.hpp"
#include "sim/report/report.hpp"

namespace fabricast {

// A row of a curve that counts.
struct TimedRow {
    Bytes size;
    double seconds = 0;
};

// What each uncertain constant, moved by one standard deviation, adds to ln(time) of each size.
using Sensitivities = std::vector<std::vector<double>>;

struct Misfit {
    double distance = 0;  // r^T C^-1 r: about the number of rows where the hypothesis is right
    // Minus twice the logarithm of the likelihood, with Student's tails (five degrees of freedom): two hypotheses
    // differ by what they differ here.
    double cost = 0;
};

// Precondition: as many forecasts, and entries of each sensitivity, as rows.
Misfit misfit(const std::vector<TimedRow>& measured, const std::vector<double>& forecast,
              const Sensitivities& constants, Evidence evidence);

}  // namespace fabricast
