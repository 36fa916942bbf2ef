#pragma once
// The report for people: nccl-tests' columns, then why. Lines are written one by one, so that a sweep shows as it runs;
// everything that is no row starts with `#`.

#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// "-11/+12": how far the ends of an interval are from the time, in per cent.
std::string interval_text(double time_s, double low80_s, double high80_s);

// The node of a cluster as headings name it: "dgx-h100", "dgx-h100 with h20" where the GPU is another.
std::string node_words(const ClusterRequest& cluster);
// The lines above the first row.
std::string table_header(const Scenario& scenario);
std::string table_row(const Row& row);
// What a replayed trace did; empty without one.
std::string replay_lines(const Scenario& scenario, const Report& report);
// The scaling table; empty without points.
std::string scaling_table(const std::vector<ScalingPoint>& points);
// What packets went through, notes, and as the last line the weakest evidence in words.
std::string table_footer(const Scenario& scenario, const Report& report);

}  // namespace fabricast
