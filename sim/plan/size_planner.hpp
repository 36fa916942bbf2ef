#pragma once
// What a planner is given, and what it returns.

#include <functional>

#include "models/catalog.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/plan/collectives/library.hpp"
#include "sim/plan/plan.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline plans {

struct PlanContext {
    const Fabric& fabric;
    const LibrarySpec& library;
    const LaunchSpec& launch;
    const Catalog& catalog;
};

struct PlanOptions {
    bool judged = true;  // false: leave out evidence, interval and figures of a collective, which take most of the time
    Watch watch{};
};

// Plans one size of a workload; kinds without sizes ignore it.
using SizePlanner = std::function<Plan(Bytes size, const PlanOptions& options)>;

}  // namespace fabricast::inline plans
