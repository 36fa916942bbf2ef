#pragma once
// Which system a log comes from: its own statements plus those of the user.

#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/diagnose/misfit.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline diagnosis {

struct SuspectedSystem {
    Scenario scenario;
    std::vector<std::string> assumptions;
};

// `cluster` replaces what the log says about the system and its software; `node`, if not empty, replaces the node only.
// The collective, its data type and the number of ranks always come from the log. Throws InputError if something is
// still undefined.
SuspectedSystem system_of(const Measurement& measurement, const std::optional<Scenario>& cluster,
                          const std::string& node);

// The rows of the curve that count. Throws NotACurve; throws InputError if the number of ranks in the log differs from
// the system's.
std::vector<TimedRow> rows_of(const Measurement& measurement, const SuspectedSystem& system, const Catalog& catalog);

}  // namespace fabricast::inline diagnosis
