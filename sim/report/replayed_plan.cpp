#include "sim/report/replayed_plan.hpp"

#include <algorithm>
#include <utility>

#include "base/unit_text.hpp"

namespace fabricast::inline report {

LinkTraffic link_traffic(std::string row, const ReplayedPlan& replayed) {
    const Timeline& timeline = replayed.timelines.traffic();
    return {
        std::move(row), replayed.fabric.node_count(), to_seconds(timeline.makespan), timeline.busiest, timeline.classes,
        timeline.busy};
}

std::string busiest_text(const Timeline& timeline, const Fabric& fabric, double least) {
    if (timeline.busiest.empty() || timeline.busiest.front().utilisation < least) { return ""; }
    const LinkUse& use = timeline.busiest.front();
    return fabric.link_name(use.link) + " " + percent(std::min(use.utilisation, 1.0));
}

}  // namespace fabricast::inline report
