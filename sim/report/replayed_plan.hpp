#pragma once
// A plan with its timelines: what every kind's part of summarize() is given, and what its links carried.

#include <string>

#include "models/catalog.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report {

struct ReplayedPlan {
    const Plan& plan;
    const Timelines& timelines;
    const Fabric& fabric;
    const Catalog& catalog;
};

LinkTraffic link_traffic(std::string row, const ReplayedPlan& replayed);

// "node0.gpu3 -> node0.nvswitch 97 %": the busiest link if it is busy for at least `least` of the time, else empty.
std::string busiest_text(const Timeline& timeline, const Fabric& fabric, double least);

}  // namespace fabricast::inline report
