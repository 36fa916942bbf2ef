#pragma once
// The report as text: nccl-tests' columns, then explanations. Lines are written one by one, so that a long run shows
// its progress; every line that is not a row starts with `#`.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline report {

// The lines above the first row.
// `width`: characters of the terminal, into which texts shorten; 0: of none. `library`: what the collectives' is
// called.
std::string table_header(const Scenario& scenario, std::size_t width = 0, std::string_view library = "NCCL");
std::string table_row(const Row& row, std::size_t width = 0);
// The summary of a replayed trace, where lines without `#` are figures; empty without one.
std::string replay_lines(const Scenario& scenario, const Report& report, std::string_view library = "NCCL");
// Training steps: the parts of the step, then the scaling table if there are several clusters; empty without steps.
std::string step_table(const Scenario& scenario, const std::vector<StepRow>& steps, std::size_t width = 0,
                       std::string_view library = "NCCL");
// The scaling table; empty without points.
std::string scaling_table(const std::vector<ScalingPoint>& points);
// The packet engine's counts, the notes, and as the last line the weakest evidence in words.
std::string table_footer(const Scenario& scenario, const Report& report);

}  // namespace fabricast::inline report
