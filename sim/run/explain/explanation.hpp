#pragma once
// An explanation in every form: the blame of a scenario's largest run, what would change it, and where scaling bends.

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/report/html/page.hpp"
#include "sim/run/explain/counterfactual.hpp"
#include "sim/run/explain/explained_run.hpp"
#include "sim/run/explain/knee.hpp"

namespace fabricast::inline explain {

struct Explanation {
    std::string scenario;
    ExplainedRun run;
    double seconds = 0;  // by the scenario's own engine, which runs the changes; of most engines that of `run`
    std::vector<Counterfactual> changes;  // as run_all sorts them
    ScalingCurve curve;
};

// What was run, then its blame: a line for each kind, then the largest entries. Lines without `#` are figures.
std::string blame_table(const Explanation& explanation);
// The changes as a tornado: bars to the left are time saved.
std::string tornado(const Explanation& explanation);
std::string curve_table(const Explanation& explanation);

Json explanation_json(const Explanation& explanation);

// The blame, a tornado of the counterfactuals, and where scaling bends.
html::Page explanation_page(const Scenario& scenario, const Explanation& explanation);

// `whole` is the scenario as written; all but the scaling curve is of its single point. Throws as simulate() does.
Explanation explained(const Scenario& whole, const Catalog& catalog, std::size_t threads, const Watch& watch = {});

}  // namespace fabricast::inline explain
