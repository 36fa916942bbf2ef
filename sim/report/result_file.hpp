#pragma once
// The report for programs: JSON and CSV in SI base units; each name ends in its unit.

#include "base/json.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline report {

inline constexpr int result_schema_version = 1;

// The whole result: schema version, program version, resolved scenario, rows, points, figures used with their origins.
Json result_json(const Scenario& scenario, const Report& report);

// How a command's document begins: versions, and the resolved scenario.
Json document_head(const Scenario& scenario);

// The rows of the scenario's kind of workload: of sizes, of training steps, or the one of a replayed trace. Columns are
// named as in the JSON, and are there without any row too.
Records result_records(const Scenario& scenario, const Report& report);

// The JSON Schema of result_json, made from the same tables of columns.
Json result_json_schema();

// "0.1.0".
std::string_view version();

}  // namespace fabricast::inline report
