#pragma once
// Documentation made from the table of keys: docs/scenario.md and docs/schema/scenario.json.

#include <string>

#include "base/json.hpp"

namespace fabricast::inline scenario {

// A JSON Schema (draft 2020-12) that accepts what the parser's table does; only the parser compares keys.
Json scenario_json_schema();

// The table of keys as a page of documentation.
std::string scenario_page();

}  // namespace fabricast::inline scenario
