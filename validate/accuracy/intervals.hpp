#pragma once
// How wide an 80 % interval must be. The widths come from forecasts of publishers that the fit never saw.
//
// Left-out forecasts fall into classes: inside one node or between nodes, because the unknowns of a network differ from
// those of a node; three regimes of size; and whether or not another publisher's site in the fit has the same GPU, NCCL
// era and fabric, as in docs/accuracy.md. In a class the interval contains 80 % of the values |ln(measured /
// forecast)|. Inside a node each site counts once, since all its tables tell of the same GPUs and links. Between nodes
// each of its tables counts, since each is of another number of nodes or another collective. Student's t widens the
// interval where few sites tell it, or few of them have most of the tables. The classes are not told apart further than
// the data do: what nobody else measured is by one factor, in logarithms, less certain in all regimes of a scope; the
// differences from that are no larger than so few sites make them by chance. Inside a node the factor is small, since
// kin tell more of a GPU than of a network. (Split conformal prediction would assume one unknown site at the far end.
// With five sites it would take the worst rows of the worst site, so one cluster that is slow for an unknown reason
// would set the width for all.) Coverage is judged with intervals from the sites of other publishers alone, each row in
// the class that a forecast of it would print: on more than twice as many nodes as others measured there is no sibling,
// on more than eight times nothing but the formula.

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "validate/accuracy/coverage.hpp"
#include "validate/score/compared_row.hpp"
#include "validate/score/errors.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline validate_accuracy {

struct IntervalKey {
    bool between_nodes = false;
    bool sibling = false;  // whether another publisher's site of the same group was in the fit
    Regime regime = Regime::small;
    auto operator<=>(const IntervalKey&) const = default;
};
using IntervalTable = std::map<IntervalKey, RatioRange>;

// From the rows whose forecast left their publisher out, except the rows of the publisher `without`. `which` is the
// forecast to judge; null models are sorted into the same classes. Where a scope and regime have rows, both its classes
// have an interval; without a sibling it is at least as wide as with one.
IntervalTable interval_table(const std::vector<ComparedRow>& rows, Forecast which, const std::string& without = "");

// Of the selected rows, each judged by the other publishers' rows, selected or not.
Coverage coverage(const std::vector<ComparedRow>& rows, const Selection& selection);

// interval80_coverage_pct, interval80_rows_coverage_pct, interval80_width_pct and, for comparison, the widths that the
// null models need; then interval80_<scope>_<regime>_coverage_pct over rows and the _factor of the same intervals,
// beside the _written_factor of those that the catalogue has, which all sites told. Scopes: rows inside a node, between
// nodes, the same with a sibling in the fit, and rows without any.
std::vector<NamedFigure> interval_figures(const std::vector<ComparedRow>& rows);

// The catalogue's part `forecast-intervals` with the intervals of the table; the rest is copied from `held`.
std::string intervals_yaml(const IntervalTable& table, const Part& held);

}  // namespace fabricast::inline validate_accuracy
