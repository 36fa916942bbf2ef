// fabricast-fit [--without SITE] [--catalog DIR] [--measurements DIR]: refits the fitted figures of the catalogue to
// the measurements and writes them with their intervals and datasets. With --without SITE it only prints what would
// change.

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "validate/calibration/catalog_writer.hpp"
#include "validate/calibration/site_writer.hpp"
#include "validate/calibration/without_site.hpp"
#include "validate/tools/run_tool.hpp"

namespace {

using namespace fabricast;

struct Arguments {
    std::string without;
    std::filesystem::path catalog = "models/catalog";
    std::filesystem::path measurements = "validate/measurements";
    int iterations = FitOptions{}.iterations;
    bool sites_only = false;
};

constexpr const char* usage =
    "usage: fabricast-fit [--without SITE] [--catalog DIR] [--measurements DIR] [--iterations N] [--sites]\n"
    "Refits the catalogue's fitted figures and writes them; --without SITE only prints them, --sites only writes who\n"
    "measured what (sites.yaml).\n";

bool parse(int argc, char** argv, Arguments& arguments) {
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (name == "--sites") {
            arguments.sites_only = true;
            --i;
            continue;
        }
        if (i + 1 >= argc) {
            return false;
        }
        if (name == "--without") {
            arguments.without = argv[i + 1];
        } else if (name == "--catalog") {
            arguments.catalog = argv[i + 1];
        } else if (name == "--measurements") {
            arguments.measurements = argv[i + 1];
        } else if (name == "--iterations") {
            arguments.iterations = std::atoi(argv[i + 1]);
        } else {
            return false;
        }
    }
    return true;
}

void write_catalogue(const Arguments& arguments, const FitResult& fit, const Catalog& catalog,
                     const std::vector<FitDataset>& data, FabricCache& cache) {
    const auto updates = part_updates(fit, catalog, data, cache);
    for (const auto& entry : std::filesystem::directory_iterator(arguments.catalog)) {
        if (entry.path().extension() != ".yaml") {
            continue;
        }
        const std::string before = read_text(entry.path(), yaml::max_file_bytes);
        const std::string after = with_updates(before, updates, catalog, builtin_priors());
        if (after != before) {
            write_atomically(entry.path(), after);
            fmt::print("wrote {}\n", entry.path().string());
        }
    }
}

int run(const Arguments& arguments) {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const Sites sites = read_sites(arguments.measurements / "sites.yaml");
    const Collection collection = collect({arguments.measurements / "nccl"}, builtin_aliases(), catalog, cache, sites,
                                          read_unhealthy(arguments.measurements / "unhealthy.yaml"));
    const std::vector<FitDataset> data = fit_datasets(collection);
    if (arguments.without.empty()) {
        write_atomically(arguments.catalog / "sites.yaml", site_parts(data, cache));
    }
    if (arguments.sites_only) {
        return 0;
    }
    FitOptions options;
    options.iterations = arguments.iterations;
    const Fitter fitter(catalog, data, builtin_priors(), cache, options);
    const FitResult fit = fitter.fit_all(arguments.without);
    for (const auto& [name, fitted] : fit.figures) {
        const std::size_t slash = name.find('/');
        const Figure& before = catalog.parts.at(name.substr(0, slash)).figure(name.substr(slash + 1));
        fmt::print("{:<52} {:>14} -> {:<14} [{}, {}]\n", name, written(before.value.at(0), before.unit),
                   written(fitted.value, before.unit), written(fitted.low80, before.unit),
                   written(fitted.high80, before.unit));
    }
    fmt::print("{} figures from {} curves, cost {:.1f} -> {:.1f}\n", fit.figures.size(), data.size(), fit.cost_before,
               fit.cost_after);
    if (arguments.without.empty()) {
        write_catalogue(arguments, fit, catalog, data, cache);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return fabricast::run_tool<Arguments>("fabricast-fit", usage, argc, argv, parse, run);
}
