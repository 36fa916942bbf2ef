#pragma once
// One table of a log, diagnosed as what it is: a curve of a collective, or a test of one link.

#include <optional>
#include <string>

#include "base/json.hpp"
#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
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

}  // namespace fabricast::inline diagnosis
