#include "discovery/site/site_json.hpp"

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
    return {{"scenario", made.yaml},
            {"nodes", made.nodes},
            {"node", made.node},
            {"fabric", made.fabric},
            {"cables", site.cables.size()},
            {"missing", made.asked},
            {"left_out", site.dropped},
            {"findings", records_json(findings, columns)}};
}

}  // namespace fabricast::inline site
