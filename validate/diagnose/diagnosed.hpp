#pragma once
// One table of a log, diagnosed as what it is, a curve of a collective or a test of one link, as text and JSON.

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/curves/derived.hpp"
#include "validate/diagnose/diagnose.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline diagnosis {

struct Diagnosed {
    std::string text;
    Json json;
    bool of_link = false;
};

// `cluster` or, without it, a node template by its name says what was measured, where the table does not. Throws
// InputError, and what building and planning throw.
Diagnosed diagnosed(const Measurement& measurement, const std::optional<Scenario>& cluster, const std::string& node,
                    const Catalog& catalog);

// For people.
std::string to_text(const Diagnosis& diagnosis, const std::string& id, const std::vector<std::string>& assumptions);
Json to_json(const Diagnosis& diagnosis, const std::string& id);

// The system that a log comes from, by its own statements and the user's: `cluster` replaces what the log says about
// the system and its software; `node`, if not empty, replaces the node only. The collective, its type and the number of
// ranks come from the log. InputError: something is undefined.
Derived system_of(const Measurement& measurement, const std::optional<Scenario>& cluster, const std::string& node);

// The rows of the curve that count. Throws NotACurve; InputError if the log has another number of ranks.
std::vector<TimedRow> rows_of(const Measurement& measurement, const Scenario& system, const Catalog& catalog);

}  // namespace fabricast::inline diagnosis
