#pragma once
// Reads the table of a measurement as time over size. Columns are recognised by name and converted from any unit; rows
// that are left out carry the reason.
//
// The measured time of a size is min(out of place, in place). If no time is printed, it follows from a bandwidth: S /
// algbw, or factor * S / busbw. Rows are left out as
//   unreadable  if a bandwidth is printed so coarsely that its rounding is above 5 %;
//   warm-up     if they are among the first three sizes, up to the last of them that takes > 1.10 x the time of the
//               next larger size (a larger message cannot be faster); also a single size that takes > 1.5 x the
//               time of both its neighbours.

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline curves {

struct CurvePoint {
    Bytes size;
    double seconds = 0;
    std::string left_out;  // why this row is not used; empty: it is used
};

// Points in ascending order of size.
struct Curve {
    std::vector<CurvePoint> points;
};

// The table is not a size curve; the message lists its columns. Not an error in the file: callers skip the file and
// report it.
struct NotACurve : InputError {
    using InputError::InputError;
};

// `busbw_factor` as in nccl-tests. Throws NotACurve, or InputError at a cell that is not a number.
Curve read_curve(const Measurement& measurement, double busbw_factor);

// Marks warm-up points by the rule above. Precondition: sizes ascend.
void leave_out_warm_up(Curve& curve);

}  // namespace fabricast::inline curves
