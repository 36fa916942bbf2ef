#include "validate/calibration/site_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

namespace fabricast {

namespace {

// The text as a valid part name: lower-case letters, digits, dashes and dots.
std::string kebab(std::string words) {
    std::ranges::transform(words, words.begin(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' ? static_cast<char>(std::tolower(c)) : '-';
    });
    return words;
}

constexpr const char* head =
    "# Who told the fitted figures: the datasets of each site, by the GPU and, between nodes, the link they were "
    "measured\n"
    "# on. What a forecast says of itself follows from them (docs/collectives.md, 4). Written by `./dev fit`.\n";

}  // namespace

std::string site_parts(const std::vector<FitDataset>& data, FabricCache& cache) {
    std::map<std::tuple<std::string, std::string, std::string>, std::string> datasets;  // by site, GPU and link
    for (const FitDataset& dataset : data) {
        const Fabric& fabric = cache.at(dataset.scenario);
        const std::string link = fabric.node_count() > 1 ? fabric.cluster().fabric.link.name : "";
        std::string& list = datasets[{dataset.site, fabric.node().gpu.name, link}];
        list += (list.empty() ? "" : " ") + dataset.id;
    }
    std::string yaml = head;
    for (const auto& [where, list] : datasets) {
        const auto& [site, gpu, link] = where;
        const std::string of = gpu + (link.empty() ? "" : "-" + link);
        yaml += fmt::format("\n{}:\n  kind: site\n  note: \"Data of {}{}.\"\n  site: {}\n  gpu: {}\n",
                            kebab("site-" + site + "-" + of), gpu, link.empty() ? "" : " over " + link, site, gpu);
        yaml += link.empty() ? "" : "  link: " + link + "\n";
        yaml += "  datasets: " + list + "\n";
    }
    return yaml;
}

}  // namespace fabricast
