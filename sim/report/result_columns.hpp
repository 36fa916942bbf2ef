#pragma once
// The columns of a result: rows of a collective or transfer, scaling points, training steps, replays, figures used.

#include "sim/report/columns.hpp"
#include "sim/report/report.hpp"

namespace fabricast::inline report {

// A transfer's rows have other headings for the algorithm and the channels.
Columns<Row> row_columns(bool transfer = false);
Columns<ScalingPoint> point_columns();
// `tokens`: print tokens a second, not images.
Columns<StepRow> step_columns(bool tokens = true);
// Of a replayed trace: the whole, the calls of its groups, its ranks.
Columns<ReplayReport> replay_columns();
Columns<ReplayUse> replay_use_columns();
Columns<ReplayRank> replay_rank_columns();
Columns<FigureUsed> figure_used_columns();

// "-11/+12": the ends of the interval relative to the time, in per cent.
std::string interval_text(double time_s, double low80_s, double high80_s);

}  // namespace fabricast::inline report
