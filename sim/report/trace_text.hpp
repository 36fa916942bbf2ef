#pragma once
// The report of a replayed trace as text and JSON.

#include <string>

#include "base/json.hpp"
#include "sim/report/trace_report.hpp"

namespace fabricast {

// The report as text; lines without `#` are figures.
std::string replay_table(const ReplayReport& replay);

Json replay_json(const ReplayReport& replay);
Json replay_json_schema();

}  // namespace fabricast
