#include "discovery/site/site_json.hpp"

#include <algorithm>
#include <map>

#include "sim/report/columns.hpp"

namespace fabricast::inline site {

Json site_json(const Site& site, const Description& made, const std::vector<Finding>& findings) {
    using C = Column<Finding>;
    const Columns<Finding> columns = {
        C("check", "What was checked.", &Finding::check),
        C("device", "Which device it is about.", &Finding::device),
        C("cable", "Which cable; empty: inside a node.", &Finding::cable),
        C("message", "What looks wrong.", &Finding::message),
        C("trust", "How sure it is.", [](const Finding& f) { return to_string(f.trust); }),
        C("at", "Where a file says so.", [](const Finding& f) { return f.at.file ? Json(to_string(f.at)) : Json(); }),
        C("cost", "What it costs a collective.", &Finding::cost),
    };
    std::map<std::string, std::size_t> rates;
    for (const SiteCable& cable : site.cables) { ++rates[std::to_string(cable.megabits)]; }
    const auto adapters = static_cast<std::size_t>(std::ranges::count_if(site.devices, &SiteDevice::adapter));
    return {{"scenario", made.yaml}, {"nodes", made.nodes},          {"node", made.node},
            {"fabric", made.fabric}, {"hosts", site.hosts.size()},   {"switches", site.devices.size() - adapters},
            {"adapters", adapters},  {"cables", site.cables.size()}, {"cables_by_megabits", rates},
            {"missing", made.asked}, {"left_out", site.dropped},     {"findings", records_json(findings, columns)}};
}

}  // namespace fabricast::inline site
