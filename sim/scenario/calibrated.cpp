#include "sim/scenario/calibrated.hpp"

#include <filesystem>

#include "base/input_error.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "topologies/catalog_folder.hpp"

namespace fabricast::inline scenario {

Catalog calibrated_catalog(const std::string& folder, const Scenario* scenario,
                           const std::vector<std::string>& overlays) {
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
        throw CatalogError(error_message("no catalogue to add", shown(folder), "a folder of YAML files with parts"));
    }
    Catalog catalog = folder.empty() ? read_catalog() : read_catalog(folder);
    if (scenario != nullptr) {
        for (const std::string& overlay : scenario->calibration) {
            if (!std::filesystem::is_regular_file(overlay)) {
                throw InputError(place_of(*scenario, "calibration"),
                                 error_message("an overlay cannot be read", shown(overlay), "a file that exists"));
            }
            merge_overlay(catalog, yaml::read(overlay));
        }
    }
    for (const std::string& overlay : overlays) { merge_overlay(catalog, yaml::read(overlay)); }
    return catalog;
}

}  // namespace fabricast::inline scenario
