#pragma once
// The report as text: nccl-tests' columns, then explanations. Lines are written one by one, so that a long run shows
// its progress; every line that is not a row starts with `#`.

#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline report {

// The node template as headings show it: "dgx-h100", or "dgx-h100 with h20" if the scenario replaces the GPU.
std::string node_words(const ClusterRequest& cluster);
// The lines above the first row.
std::string table_header(const Scenario& scenario);
std::string table_row(const Row& row);
// The summary of a replayed trace; empty without one.
std::string replay_lines(const Scenario& scenario, const Report& report);
// The same without the scenario's line; lines without `#` are figures.
std::string replay_table(const ReplayReport& replay);
// Training steps: the parts of the step, then the scaling table if there are several cluster sizes; empty without
// steps.
std::string step_table(const Scenario& scenario, const std::vector<StepRow>& steps);
// The scaling table; empty without points.
std::string scaling_table(const std::vector<ScalingPoint>& points);
// The packet engine's counts, the notes, and as the last line the weakest evidence in words.
std::string table_footer(const Scenario& scenario, const Report& report);

}  // namespace fabricast::inline report
