#pragma once
// The JSON Schema of measurement files: docs/schema/measurement.json.

#include "base/json.hpp"

namespace fabricast::inline validate_import {

// Draft 2020-12, from the parser's own table.
Json measurement_json_schema();

}  // namespace fabricast::inline validate_import
