#pragma once
// Lowers one collective call of one size to a Schedule, as NCCL of the stated version would run it.

#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/schedule.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// A plan: the schedule of a few back-to-back iterations, and how it was chosen.
struct Plan {
    Schedule schedule;   // kept: one operation per iteration, its finish ends the iteration
    int iterations = 1;  // in the schedule; the time of one is finish(last) - finish(last but one)
    Algorithm algorithm = Algorithm::ring;
    Protocol protocol = Protocol::simple;
    int channels = 0;
    double bytes_moved_factor = 1;  // nccl-tests' busbw / algbw
    Evidence evidence = Evidence::formula_only;
    double relative_low80 = 0, relative_high80 = 0;  // interval of the time from the constants used, e.g. -0.05, +0.06
    std::vector<FigureUsed> figures;
    std::vector<std::string> notes;
};

// Throws ScenarioError-like PlanError where the asked algorithm cannot run here (NVLS without NVSwitch gen 3 ...).
struct PlanError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

Plan plan(const CollectiveWorkload& workload, Bytes size, const Fabric& fabric, const LibrarySpec& library,
          const LaunchSpec& launch, const Catalog& catalog);

// nccl-tests: busbw = algbw * factor. Source: nccl-tests doc/PERFORMANCE.md.
double busbw_factor(Collective collective, std::uint32_t ranks);

}  // namespace fabricast
