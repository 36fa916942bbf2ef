#pragma once
// What a pilot gains: a system is calibrated on its smallest number of nodes and one collective, as a planner would who
// borrows two nodes before he buys many, and is judged on everything else that was measured between its nodes.
//
// The catalogue is that of the fit without the site, in every respect: its constants, what they are said to rest on,
// and intervals from other publishers' sites. The calibration is that of `fabricast calibrate`: the overlay that it
// would write is laid over this catalogue.

#include <string>
#include <vector>

#include "validate/calibration/without_site.hpp"
#include "validate/score/errors.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline calibration {

// One system: the curves between nodes of a site that have the same GPU, era and fabric.
struct Pilot {
    std::string site;
    std::vector<std::string> datasets;  // calibrated on: the smallest number of nodes, and all_reduce or else the
                                        // first collective in the order of `Collective` that was measured there
    std::string refused;                // why the calibration was refused: the catalogue stays as it was; else empty
    std::vector<ComparedRow> rows;      // all others; their forecast `ours` is that after the pilot
    std::vector<RatioRange> intervals;  // 80 %, of each row
};

// Of every system with another number of nodes or another collective to judge. `rows` are those of the collection, with
// their forecasts without site and publisher.
std::vector<Pilot> pilots(const Catalog& catalog, const SiteOverlays& overlays, const Collection& collection,
                          const std::vector<ComparedRow>& rows, FabricCache& cache);

// pilot_<regime>_median_pct, the median over sites, with the same _before_median_pct; pilot_<regime>_coverage_pct over
// rows and _factor (high / low of the 80 % interval: the median over sites); pilot_sites; pilot_refused, systems;
// pilot_worse_sites, those whose error grows by more than two points in some regime; and each site's
// pilot_site_<site>_<regime>_pct and _before_pct.
std::vector<NamedFigure> pilot_figures(const std::vector<Pilot>& pilots);

}  // namespace fabricast::inline calibration
