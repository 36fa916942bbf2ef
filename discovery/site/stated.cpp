#include "discovery/site/stated.hpp"

#include <fmt/format.h>

#include <tuple>

#include "topologies/node_reader.hpp"

namespace fabricast::inline site {

namespace {

bool contradicts(Site& site, const Catalog& catalog, const std::string& name, const NodeSeen& node,
                 const std::string& stated_node, const StatedParts& said) {
    if (node.gpus.empty()) { return false; }
    const NodeShape seen = shape_of(node, catalog, {});
    const std::size_t before = site.findings.size();
    const auto add = [&](const std::string& stated, const std::string& found) {
        site.findings.push_back(
            {"contradiction", name, "", fmt::format("{}, but the file says {}", stated, found), node.at});
    };
    if (!stated_node.empty()) {
        const NodeTemplate stated = node_template(stated_node, catalog);
        const bool other = seen.gpu.trust == Trust::fact && seen.gpu.name != stated.gpu.name;
        if (other || seen.gpus != stated.gpus) {
            add(fmt::format("`--node {}` has {} x {}", stated_node, stated.gpus, stated.gpu.name),
                fmt::format("{} x {}", seen.gpus,
                            seen.gpu.trust == Trust::fact ? seen.gpu.name + " (" + seen.gpu.why + ")" : "GPU"));
        }
        return site.findings.size() > before;
    }
    for (const auto& [kind, stated, part] :
         {std::tuple("gpu", &said.gpu, &seen.gpu), {"nic", &said.nic, &seen.nic}, {"cpu", &said.cpu, &seen.cpu}}) {
        if (!stated->empty() && part->trust == Trust::fact && part->name != catalog.at(kind, *stated).name) {
            add(fmt::format("`--{} {}` is stated", kind, *stated), fmt::format("{} ({})", part->name, part->why));
        }
    }
    return site.findings.size() > before;
}

// How many of the parts that the user states a template does not have.
std::size_t differs_from(const StatedParts& said, const NodeTemplate& node) {
    return (!said.gpu.empty() && said.gpu != node.gpu.name ? 1U : 0U) +
           (!said.nic.empty() && said.nic != node.nic_part ? 1U : 0U);
}

}  // namespace

void contradict_statements(Site& site, const Catalog& catalog, const std::string& node, const StatedParts& said) {
    if (node.empty() && said.gpu.empty() && said.nic.empty() && said.cpu.empty()) { return; }
    for (const SiteHost& host : site.hosts) {
        if (host.inside && contradicts(site, catalog, host.name, *host.inside, node, said)) { return; }
    }
    for (std::size_t i = 0; i < site.unnamed.size(); ++i) {
        if (contradicts(site, catalog, unnamed_text(site, i), site.unnamed[i], node, said)) { return; }
    }
}

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
