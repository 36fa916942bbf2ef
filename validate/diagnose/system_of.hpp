#pragma once
// Which system a log is of: its own words, with what the user says beside them.

#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/diagnose/misfit.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast {

struct SuspectedSystem {
    Scenario scenario;
    std::vector<std::string> assumptions;
};

// `cluster` replaces what the log says of the system and its software, `node` (where not empty) the node only. The
// collective, its type and the number of ranks are the log's. Throws InputError where something is still open.
SuspectedSystem system_of(const Measurement& measurement, const std::optional<Scenario>& cluster,
                          const std::string& node, const AliasTable& aliases);

// The curve's rows that count. Throws NotACurve; InputError where the log has another number of ranks than the
// system.
std::vector<TimedRow> rows_of(const Measurement& measurement, const SuspectedSystem& system, const Catalog& catalog);

}  // namespace fabricast
