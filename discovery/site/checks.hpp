#pragma once
// What looks wrong in a site: devices unlike their peers, cables unlike the plan. A check compares alike with alike, so
// that a machine that is built unevenly on purpose is no finding.

#include <vector>

#include "discovery/site/describe.hpp"
#include "discovery/site/site.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline site {

// Every finding, those of the files' contradictions first.
std::vector<Finding> check(const Site& site, const Description& description, const Catalog& catalog,
                           const StatedParts& said);

// Inside nodes: NVLinks, PCIe width and speed, sockets.
std::vector<Finding> check_nodes(const Site& site, const Catalog& catalog, const StatedParts& said);
// Between them: rails, cables, uplinks.
std::vector<Finding> check_fabric(const Site& site, const Wiring& wiring);
// Plans against what was found.
std::vector<Finding> check_plan(const Site& site);

// Fills in what each finding costs: the same collective with the fault and without it, on the smallest cluster that
// shows it.
void forecast_costs(std::vector<Finding>& findings, const Site& site, const Description& description,
                    const Catalog& catalog, const StatedParts& said);

}  // namespace fabricast::inline site
