#pragma once
// How much of a month a training job uses: parts fail at published rates, each failure costs a restart and what was
// computed since the last checkpoint, and each checkpoint stops the job for a while.

#include "base/units.hpp"
#include "models/catalog.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline training {

// As the user states it (`goodput:`).
struct GoodputSpec {
    Duration checkpoint;  // how long writing one stops the job
    Duration restart;     // from a failure to computing again; 0: the catalogue's
    Duration every;       // computing between two checkpoints; 0: the best
};

// Expected values, and 80 % intervals for a month: of the rates, of the restart, and of how many failures a month has.
struct Goodput {
    double share = 1, low80 = 1, high80 = 1;         // of the time
    double every_s = 0;                              // computing between two checkpoints
    double failures = 0;                             // interruptions in 30 days
    double checkpoints = 0, restarts = 0, lost = 0;  // shares of the time that go elsewhere
};

// Seconds of computing between checkpoints of `checkpoint` seconds that waste least, with failures every `between`
// seconds: Daly 2006, "A higher order estimate of the optimum checkpoint interval for restart dumps", equation 37.
double best_interval(double checkpoint, double between);

// The share of the time that is not lost, for failures that come at random and may hit checkpoints and restarts too:
// Daly 2006, equation 20.
double useful_share(double every, double checkpoint, double restart, double between);

// Of a job on all of the cluster, with the rates of the catalogue's part `training-failures`.
Goodput goodput_of(const GoodputSpec& spec, const Fabric& fabric, const Catalog& catalog);

}  // namespace fabricast::inline training
