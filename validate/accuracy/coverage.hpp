#pragma once
// How many measurements lie within the intervals of their forecasts, and how wide these are.

#include <vector>

#include "validate/score/compared_row.hpp"
#include "validate/score/errors.hpp"

namespace fabricast::inline validate_accuracy {

struct Coverage {
    double sites = 0;   // mean over sites of the share of the site's rows inside; 0..1
    double rows = 0;    // share of all rows inside; rows of one table within one doubling of size count as one together
    double width = 0;   // median over sites of the median of (high - low) / forecast; 0: there are no rows
    double factor = 1;  // the same of high / low
};
struct JudgedInterval {
    const ComparedRow* row;
    RatioRange range;  // of measured / forecast
};
Coverage coverage_of(const std::vector<JudgedInterval>& judged, const Selection& selection);

}  // namespace fabricast::inline validate_accuracy
