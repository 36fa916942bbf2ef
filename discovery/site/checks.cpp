#include "discovery/site/checks.hpp"

#include "discovery/site/fabric_checks.hpp"
#include "discovery/site/node_checks.hpp"
#include "discovery/site/plan_check.hpp"

namespace fabricast::inline site {

std::vector<Finding> check(const Site& site, const Description& description, const Catalog& catalog,
                           const StatedParts& said) {
    std::vector<Finding> all = site.findings;
    for (const std::vector<Finding>& some :
         {check_nodes(site, catalog, said), check_fabric(site, description.wiring), check_plan(site)}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

}  // namespace fabricast::inline site
