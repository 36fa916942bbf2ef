#pragma once
// A measurement's table as time over size. Columns are read by name, whatever the unit; what is left out is said.
//
// Measured time of a size = min(out of place, in place). From a bandwidth where no time is printed: S / algbw, or
// factor * S / busbw. Left out are
//   unreadable  a bandwidth printed so coarsely that its rounding is above 5 %;
//   warm-up     the leading sizes (at most three) down to the last that takes > 1.10 x the next larger one, for a
//   larger
//               message cannot be faster; and a single size > 1.5 x both its neighbours.

#include <stdexcept>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast {

struct CurvePoint {
    Bytes size;
    double seconds = 0;
    std::string left_out;  // why this row is not used; empty: it is
};

// Points by rising size.
struct Curve {
    std::vector<CurvePoint> points;
};

// The table is no size curve; the message says which columns it has. Skipped and said, not an error of the file.
struct NotACurve : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// `busbw_factor` as of nccl-tests. Throws NotACurve, or InputError at a cell that is no figure.
Curve read_curve(const Measurement& measurement, double busbw_factor);

// Marks warm-up points by the rule above. Precondition: ascending sizes.
void leave_out_warm_up(Curve& curve);

}  // namespace fabricast
