#pragma once
// A probe's file holds many curves in one table: the columns up to `round` are labels, and every round measured them
// all. Here each curve becomes a measurement of its own, as every reader of measurements expects.

#include <vector>

#include "validate/import/measurement.hpp"

namespace fabricast {

// Is it a table of several curves, as probes write them?
bool has_series(const Measurement& measurement);

// One measurement a set of labels, in the order of the table. A label becomes a statement of `benchmark`
// ("collective"), `env` one of `software`; the id gets the labels behind it. Of a size's rounds the row with the
// (lower) median time stays. Another table comes back as it is.
std::vector<Measurement> split_series(const Measurement& measurement);

}  // namespace fabricast
