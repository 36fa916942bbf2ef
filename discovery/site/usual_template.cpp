#include "discovery/site/usual_template.hpp"

#include <tuple>

#include "topologies/node_reader.hpp"

namespace fabricast::inline site {

namespace {

// How many of the parts that the user states a template does not have.
std::size_t differs_from(const StatedParts& said, const NodeTemplate& node) {
    return (!said.gpu.empty() && said.gpu != node.gpu.name ? 1U : 0U) +
           (!said.nic.empty() && said.nic != node.nic_part ? 1U : 0U);
}

}  // namespace

std::string usual_template(const Catalog& catalog, const StatedParts& said, std::size_t nics, const std::string& link) {
    std::string best = "dgx-h100";
    std::tuple<std::size_t, std::size_t, bool, bool, bool> least{9, 100000, true, true, true};
    for (const Part& part : node_parts()) {
        const NodeTemplate node = node_template(part.name, catalog);
        if (node.nics < nics || node.nics > nics * 2 || node.nic_ports > 1) { continue; }
        const std::tuple score{differs_from(said, node), node.nics - nics, node.nic_link != link,
                               !part.name.starts_with("dgx-"), node.gpus != 8};
        if (score < least) {
            least = score;
            best = part.name;
        }
    }
    return best;
}

}  // namespace fabricast::inline site
