#pragma once
// Lowers one collective call of one size to a Schedule, as NCCL of the stated version would run it.

#include <memory>
#include <stdexcept>
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
    Schedule schedule;    // kept: one operation per iteration, its finish ends the iteration
    int iterations = 1;   // in the schedule; the time of one is finish(last) - finish(last but one)
    int timed_calls = 0;  // above zero: calls overlap, so their average counts; one more kept operation ends the last
    Algorithm algorithm = Algorithm::ring;
    Protocol protocol = Protocol::simple;
    int channels = 0;
    double tuning_seconds = 0;      // what NCCL's own tuning model expects of the choice; 0: it has no model of it
    double bytes_moved_factor = 1;  // nccl-tests' busbw / algbw
    Evidence evidence = Evidence::formula_only;
    double relative_low80 = 0, relative_high80 = 0;  // interval of the time from the constants used, e.g. -0.05, +0.06
    std::vector<FigureUsed> figures;
    std::vector<std::string> evidence_notes;  // "kernel costs from ..., nearest data 8 GPUs a node"
    std::vector<std::string> notes;
};

// Throws ScenarioError-like PlanError where the asked algorithm cannot run here (NVLS without NVSwitch gen 3 ...).
struct PlanError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Plans calls of one workload on one fabric: the topology search and the choice of constants are made once. Keeps
// references to what it is given.
class Planner {
public:
    // Throws PlanError.
    Planner(const CollectiveWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
            const LaunchSpec& launch, const Catalog& catalog);
    ~Planner();
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;

    // `size` is nccl-tests': the larger of a rank's two buffers. Not `judged`: without evidence and interval, which
    // take the time of some twenty plans. Throws PlanError.
    Plan plan(Bytes size, bool judged = true) const;

private:
    struct Prepared;
    std::unique_ptr<const Prepared> prepared_;
};

// One size only: Planner(...).plan(size).
Plan plan(const CollectiveWorkload& workload, Bytes size, const Fabric& fabric, const LibrarySpec& library,
          const LaunchSpec& launch, const Catalog& catalog);

// nccl-tests: busbw = algbw * factor. Source: nccl-tests doc/PERFORMANCE.md.
double busbw_factor(Collective collective, std::uint32_t ranks);

}  // namespace fabricast
