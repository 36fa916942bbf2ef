// fabricast-accuracy [--data DIR]... [--loso] [--calibrate] [--docs DIR] [--measurements DIR]: forecasts every
// measurement, prints the figures and writes docs/accuracy.{csv,md} with the plots.

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "validate/accuracy/accuracy_report.hpp"
#include "validate/accuracy/deviations.hpp"
#include "validate/diagnose/trials.hpp"
#include "validate/tools/run_tool.hpp"
#ifdef FABRICAST_HAS_CERES
#include "models/embedded_catalog.hpp"
#include "validate/calibration/calibrate_figures.hpp"
#include "validate/calibration/fitted_nulls.hpp"
#include "validate/calibration/without_site.hpp"
#endif

namespace {

using namespace fabricast;

struct Arguments {
    std::vector<std::filesystem::path> data;  // in addition to the measurements of the repository
    bool refit = false;
    bool calibrate = false;
    std::filesystem::path docs = "docs";
    std::filesystem::path measurements = "validate/measurements";
};

constexpr const char* usage =
    "usage: fabricast-accuracy [--data DIR]... [--loso] [--calibrate] [--docs DIR] [--measurements DIR]\n"
    "  --data DIR  forecast the measurements of this folder too\n"
    "  --loso      refit without each site and publisher (minutes) and keep the result beside the measurements\n"
    "  --calibrate calibrate each system on half of its own sizes (minutes; --loso does too) and keep that\n";

bool parse(int argc, char** argv, Arguments& arguments) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--loso" || name == "--calibrate") {
            arguments.calibrate = true;
            arguments.refit = arguments.refit || name == "--loso";
            continue;
        }
        if (++i >= argc) {
            return false;
        }
        if (name == "--data") {
            arguments.data.emplace_back(argv[i]);
        } else if (name == "--docs") {
            arguments.docs = argv[i];
        } else if (name == "--measurements") {
            arguments.measurements = argv[i];
        } else {
            return false;
        }
    }
    return true;
}

#ifdef FABRICAST_HAS_CERES
SiteOverlays leave_sites_out(std::vector<AccuracyRow>& rows, const Collection& collection, const Arguments& arguments,
                             const Catalog& catalog, FabricCache& cache) {
    // Only sites of the repository are left out; data from elsewhere were never in the fit.
    const std::vector<FitDataset> data = fit_datasets(collection);
    const std::filesystem::path file = arguments.measurements / "without_site.yaml";
    const std::string mark = fingerprint(rows);
    if (arguments.refit) {
        const SiteOverlays fresh = fit_without_each(catalog, data, cache, std::thread::hardware_concurrency());
        write_atomically(file, to_yaml(fresh, mark));
    }
    SiteOverlays overlays = read_overlays(file, mark);
    if (overlays.empty()) {
        fmt::print("no fit without each site for this catalogue and these data: run again with --loso\n");
    }
    forecast_without_site(rows, collection, overlays, catalog, cache);
    forecast_fitted_nulls(rows, collection);
    return overlays;
}
#endif

int run(const Arguments& arguments) {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const Sites sites = read_sites(arguments.measurements / "sites.yaml");
    const auto unhealthy = read_unhealthy(arguments.measurements / "unhealthy.yaml");
    Collection collection =
        collect({arguments.measurements / "nccl"}, builtin_aliases(), catalog, cache, sites, unhealthy);
    std::vector<AccuracyRow> rows = accuracy_rows(collection);
#ifdef FABRICAST_HAS_CERES
    const SiteOverlays overlays = leave_sites_out(rows, collection, arguments, catalog, cache);
    const std::vector<FitDataset> healthy = fit_datasets(collection);
    tell_calibration(catalog, overlays, healthy, rows, cache, arguments.measurements, arguments.calibrate);
#endif
    if (!arguments.data.empty()) {
        const Collection more = collect(arguments.data, builtin_aliases(), catalog, cache, sites, unhealthy);
        const std::vector<AccuracyRow> added = accuracy_rows(more);
        rows.insert(rows.end(), added.begin(), added.end());
        collection.curves.insert(collection.curves.end(), more.curves.begin(), more.curves.end());
        collection.skipped.insert(collection.skipped.end(), more.skipped.begin(), more.skipped.end());
    }
    // Reads the rows back from the CSV, so that the page is computed from exactly the digits that the CSV contains.
    rows = parse_accuracy_csv(to_csv(rows), "accuracy.csv");
    for (const SkippedFile& file : collection.skipped) {
        fmt::print("skipped {}: {}\n", file.file, file.reason);
    }
    for (const NamedFigure& figure : accuracy_figures(rows)) {
        fmt::print("{}\n", figure_line(figure));
    }
    for (const NamedFigure& figure : diagnose_figures(diagnose_trials(catalog, 2))) {
        fmt::print("{}\n", figure_line(figure));
    }
    write_atomically(arguments.docs / "accuracy.csv", to_csv(rows));
    write_atomically(arguments.docs / "accuracy.md",
                     accuracy_page(rows, collection, read_misses(arguments.measurements / "misses.yaml")));
    const std::filesystem::path deviations = arguments.docs / "deviations.md";
    write_atomically(deviations, with_deviations(read_text(deviations, 1 << 20),
                                                 read_deviations(arguments.measurements / "deviations.yaml"), rows));
    write_atomically(arguments.docs / "accuracy-sites.svg", sites_plot(rows));
    write_atomically(arguments.docs / "accuracy-curves.svg", curves_plot(collection));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return fabricast::run_tool<Arguments>("fabricast-accuracy", usage, argc, argv, parse, run);
}
