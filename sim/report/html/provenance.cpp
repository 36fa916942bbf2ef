#include "sim/report/html/provenance.hpp"

#include "sim/report/result_file.hpp"
#include "sim/scenario/keys.hpp"

namespace fabricast::inline report::html {

void add_provenance(Page& page, const Scenario& scenario) {
    const Json resolved = to_json(scenario);
    page.facts = {{"engine", resolved.at("engine").get<std::string>()},
                  {"seed", std::to_string(scenario.seed)},
                  {"fabricast", std::string(version())},
                  {"scenario", scenario.file}};
    page.sections.emplace_back(Words{"The scenario as it was understood", {resolved.dump(2)}, true});
}

std::string cluster_words(const Fabric& fabric) {
    const FabricSpec& spec = fabric.cluster().fabric;
    std::string words = std::to_string(fabric.node_count()) + " x " + fabric.node().name + " (" +
                        std::to_string(fabric.gpu_count()) + " GPUs)";
    if (spec.kind != FabricKind::none) {
        words += ", " + std::string(fabricast::to_string(spec.kind));
        words += spec.link.name.empty() ? "" : " " + std::string(spec.link.name);
    }
    return words;
}

}  // namespace fabricast::inline report::html
