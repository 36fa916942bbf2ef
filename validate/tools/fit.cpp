// fabricast-fit [--without SITE] [--between] [--catalog DIR] [--measurements DIR]: refits the fitted figures of the
// catalogue to the measurements and writes them with their intervals and datasets. --without SITE only prints what
// would change.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "base/text_file.hpp"
#include "models/embedded_catalog.hpp"
#include "validate/calibration/catalog_writer.hpp"
#include "validate/calibration/without_site.hpp"
#include "validate/tools/run_tool.hpp"

namespace {

using namespace fabricast;

constexpr const char* usage =
    "usage: fabricast-fit [--without SITE] [--between] [--catalog DIR] [--measurements DIR] [--iterations N] "
    "[--sites]\n"
    "Refits the catalogue's fitted figures and writes them; --without SITE only prints them, --between leaves those "
    "alone\n"
    "that curves inside a node tell of, --sites only writes who measured what (sites.yaml).\n";

// `parts`: which may change.
void write_catalogue(const std::filesystem::path& folder, const FitResult& fit, const std::set<std::string>& parts,
                     const Catalog& catalog, const std::vector<FitDataset>& data, FabricCache& cache) {
    const auto updates = part_updates(fit, catalog, data, cache);
    Catalog changing = catalog;
    std::erase_if(changing.parts, [&](const auto& part) { return !parts.contains(part.first); });
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".yaml") { continue; }
        const std::string before = read_text(entry.path(), yaml::max_file_bytes);
        const std::string after = with_updates(before, updates, changing);
        if (after != before) {
            write_atomically(entry.path(), after);
            fmt::print("wrote {}\n", entry.path().string());
        }
    }
}

void run(const Options& arguments) {
    const std::string without = arguments.value("--without");
    const std::filesystem::path folder = arguments.value("--catalog", "models/catalog");
    const std::filesystem::path measurements = arguments.value("--measurements", "validate/measurements");
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const std::vector<FitDataset> data = fit_datasets(collect(measurements / "nccl", catalog, cache, measurements));
    if (without.empty()) { write_atomically(folder / "sites.yaml", site_parts(data, cache)); }
    if (arguments.has("--sites")) { return; }
    FitOptions options;
    if (arguments.has("--iterations")) { options.iterations = std::atoi(arguments.value("--iterations").c_str()); }
    const Fitter fitter(catalog, data, cache, options);
    const bool between = arguments.has("--between");
    const FitResult fit = between ? fitter.fit_between(without) : fitter.fit_all(without);
    for (const auto& [name, fitted] : fit.figures) {
        const Figure& before = figure_of(catalog, name);
        fmt::print("{:<52} {:>14} -> {:<14} [{}, {}]\n", name, written(before.value.at(0), before.unit),
                   written(fitted.value, before.unit), written(fitted.low80, before.unit),
                   written(fitted.high80, before.unit));
    }
    fmt::print("{} figures from {} curves, cost {:.1f} -> {:.1f}\n", fit.figures.size(), data.size(), fit.cost_before,
               fit.cost_after);
    if (!without.empty()) { return; }
    std::set<std::string> parts;
    if (between) {
        for (const FigureName& name : fitter.figures_between()) { parts.insert(part_of(name)); }
    } else {
        for (const auto& [name, part] : catalog.parts) { parts.insert(name); }
    }
    write_catalogue(folder, fit, parts, catalog, data, cache);
}

}  // namespace

int main(int argc, char** argv) { return run_tool("fabricast-fit", usage, argc, argv, run); }
