#pragma once
// How wide an 80 % interval must be: from forecasts of publishers that a fit never saw, not from how well it fits its
// own.
//
// Left-out forecasts fall into classes: of one node or of several, since what is unknown of a network is not what is
// unknown of a box; and, as in docs/accuracy.md, another site has the GPU, the NCCL era and the fabric, or none has. In
// each class and regime the interval holds four in five of |ln(measured / forecast)| over the sites, each site weighing
// the same, and is wider by Student's t where few sites tell it. (Split conformal prediction, which would put one
// unknown site at the far end, takes of five sites the worst rows of the worst: one cluster whose slowness nobody
// explains would then speak for all.) Coverage is judged site by site, with intervals from other publishers' sites
// alone.

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "validate/accuracy/accuracy.hpp"

namespace fabricast {

// measured / forecast.
struct RatioRange {
    double low80 = 1, high80 = 1;
};

struct IntervalKey {
    bool between_nodes = false;
    bool sibling = false;  // another publisher's site of its kind was in the fit
    Regime regime = Regime::small;
    auto operator<=>(const IntervalKey&) const = default;
};
using IntervalTable = std::map<IntervalKey, RatioRange>;

// From the rows forecast without their publisher, but those of the publisher `without`. `which` is the forecast judged;
// rows of null models stand in the same classes.
IntervalTable interval_table(const std::vector<AccuracyRow>& rows, Forecast which, const std::string& without = "");

// How far two tables of one site were apart: of each pair the ratio of their medians of measured / left-out forecast,
// both ways round, every site weighing the same; its first and ninth decile. What two forecasts of one system are wrong
// by apart from each other: the catalogue's `study-intervals`.
std::map<Regime, RatioRange> paired_ranges(const std::vector<AccuracyRow>& rows);

// The same of rows of one group (a site, a table): measured / forecast of each.
RatioRange paired_range(const std::vector<std::vector<double>>& groups);

// Four in five of the distances of all groups (sites, families of tables; measured / forecast), each group weighing the
// same; wider by as much as Student's t is wider than the normal distribution where so few groups told it.
RatioRange range_of(const std::map<std::string, std::vector<double>>& groups);

struct Coverage {
    double sites = 0;  // mean over sites of the share of its rows inside; 0..1
    double rows = 0;   // share of all rows
    double width = 0;  // median over sites of the median of (high - low) / forecast
};
Coverage coverage(const std::vector<AccuracyRow>& rows, Forecast which);

// interval80_coverage_pct, interval80_width_pct and, for comparison, the widths that null models need.
std::vector<NamedFigure> interval_figures(const std::vector<AccuracyRow>& rows);

// The catalogue's part `forecast-intervals`, with what the table tells in place of what it held.
std::string intervals_yaml(const IntervalTable& table, const Part& held);

}  // namespace fabricast
