#pragma once
// A probe's file contains many curves in one table: the columns before `round` are labels, and every round measured all
// curves. Splits such a table into one measurement per curve, which is what the other readers expect.

#include <vector>

#include "validate/import/measurement.hpp"

namespace fabricast::inline validate_import {

// Whether the table has several curves, as probes write them.
bool has_series(const Measurement& measurement);

// One measurement per set of labels, in the order of the table. A label becomes a statement of `benchmark`
// ("collective"); the label `env` becomes one of `software`. The labels are appended to the id. For each size, the row
// with the (lower) median time over the rounds is kept. Any other table is returned unchanged.
std::vector<Measurement> split_series(const Measurement& measurement);

}  // namespace fabricast::inline validate_import
