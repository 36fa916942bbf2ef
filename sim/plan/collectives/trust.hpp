#pragma once
// What the figures of cost parts rest on: measurements of this machine, of similar systems, or none. Which sites a
// figure was fitted to follows from the datasets in its source and the catalogue's parts of kind `site`.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "models/catalog.hpp"
#include "models/evidence.hpp"

namespace fabricast::inline collectives {

// A figure whose source begins with this was measured on the machine that is forecast: `fabricast calibrate` writes it.
inline constexpr std::string_view measured_here_prefix = "here:";
// The source of a figure in such an overlay that the measurements hardly constrain: its value is still the catalogue's.
inline constexpr std::string_view kept_here_source = "here: no row tells it: the catalogue's";

// A fitted figure whose source begins with this keeps most of its prior's spread: its value comes from its family's
// prior rather than from its data. Its origin is `estimated`; the datasets of the fit follow in its source.
inline constexpr std::string_view hardly_told_source =
    "its data hardly tell: more than 70 % of its prior's spread is left";
bool hardly_told(const Figure& figure);

// What a figure, or a whole forecast, rests on, and which class of `forecast-intervals` applies to it. The two may
// differ: the class depends on whether related sites were in the fit, not on how wide the figures' intervals are.
struct Trust {
    Evidence evidence = Evidence::formula_only;
    Evidence misses_like = Evidence::formula_only;
};

inline Evidence weaker(Evidence a, Evidence b) { return std::max(a, b); }

// Whether the figure was measured on the machine that is forecast.
bool from_here(const Figure& figure);

// The system that is forecast, and the sites that measurements come from.
struct KnownSites {
    std::string gpu, link;                          // of the system
    std::map<std::string_view, const Part*> sites;  // by dataset: parts of kind `site`

    // How well the figure of this part is told by its data, at best `at_best`.
    Trust told(const Part& part, const Figure& figure, Evidence at_best) const;
    // The GPUs or links that the part's data come from; empty if any of the data are from the system's own.
    std::string other_systems(const Part& part) const;
};
std::map<std::string_view, const Part*> sites_by_dataset(const Catalog& catalog);

}  // namespace fabricast::inline collectives
