#pragma once
// A plan with its timelines: what every kind's part of summarize() is given.

#include "models/catalog.hpp"
#include "sim/plan/timelines.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report {

struct ReplayedPlan {
    const Plan& plan;
    const Timelines& timelines;
    const Fabric& fabric;
    const Catalog& catalog;
};

}  // namespace fabricast::inline report
