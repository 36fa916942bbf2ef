#include "sim/run/simulate.hpp"

#include "sim/run/run_collective.hpp"
#include "sim/run/run_trace.hpp"
#include "sim/run/run_training.hpp"
#include "sim/run/run_transfer.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast {

Report simulate(const Scenario& written, const Catalog& catalog, const Watch& watch,
                const std::function<void(const Row&)>& on_row, const SimulateOptions& options) {
    return pointing_into(written, [&] {
        const Fabric fabric(build(written, catalog));
        const Scenario scenario = with_engine(written, fabric, catalog, options.threads);
        const Job job{scenario, catalog, fabric, link_events(scenario, fabric, catalog), watch, on_row, options};
        // run() plans the workload's schedules, replays them on the fabric and summarizes their timelines.
        Report report = std::visit([&](const auto& workload) { return run(workload, job); }, scenario.workload);
        report.scenario = scenario.name;
        if (scenario.places.contains("packet") && !std::holds_alternative<Packet>(scenario.engine)) {
            report.notes.emplace_back("keys of `packet:` change nothing here: only engine packet reads them");
        }
        return report;
    });
}

}  // namespace fabricast
