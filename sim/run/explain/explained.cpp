#include "sim/run/explain/explained.hpp"

#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline explain {

Explanation explained(const Scenario& whole, const Catalog& catalog, std::size_t threads, const Watch& watch) {
    const Scenario scenario = single_point(whole);
    Explanation explanation;
    explanation.scenario = scenario.name;
    explanation.run = explain_run(scenario, catalog, watch);
    explanation.changes = pointing_into(scenario, [&] {
        const Fabric fabric(build(scenario, catalog));
        return counterfactuals(scenario, fabric, catalog);
    });
    run_all(explanation.changes, explanation.run.seconds, catalog, threads, watch);
    explanation.curve = scaling_curve(whole, catalog, threads, watch);
    return explanation;
}

}  // namespace fabricast::inline explain
