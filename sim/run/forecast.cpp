#include "sim/run/forecast.hpp"

#include <utility>

#include "sim/report/summarize.hpp"
#include "sim/report/summarize_training.hpp"
#include "sim/scenario/events.hpp"

namespace fabricast::inline run {

Job::Job(Scenario scenario_of_job, const Catalog& catalog_of_job, const Fabric& built)
    : scenario(std::move(scenario_of_job)),
      catalog(catalog_of_job),
      events(link_events(scenario, built, catalog)),
      fabric(fabric_for(scenario.workload, built, catalog)),
      planner(planner_of(scenario.workload, {fabric, scenario.library, scenario.launch, catalog})) {}

Report forecast(const Job& job, Bytes size, const Watch& watch, const ForecastOptions& options) {
    Plan plan = job.planner(size, {options.judged, watch, options.groups});
    if (options.trace) { keep_for_trace(plan); }
    const Timelines timelines = replay(job.scenario.engine, job.fabric, plan, job.events, watch);
    Report report = summarize({plan, timelines, job.fabric, job.catalog});
    if (job.scenario.goodput) { add_goodput(report, *job.scenario.goodput, job.fabric, job.catalog); }
    if (options.trace) { report.trace = spans_of({plan, timelines, job.fabric, job.catalog}); }
    return report;
}

}  // namespace fabricast::inline run
