// fabricast-accuracy: forecasts every measurement of collectives, prints the figures and writes docs/accuracy.{csv,md}
// with the charts, and every row to build/accuracy.csv.

#include "validate/accuracy/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/text_file.hpp"
#include "models/embedded_catalog.hpp"
#include "validate/accuracy/accuracy_page.hpp"
#include "validate/diagnose/trials.hpp"
#include "validate/score/plot.hpp"
#include "validate/tools/run_tool.hpp"
#include "validate/transfers/transfer_accuracy.hpp"
#ifdef FABRICAST_HAS_CERES
#include "validate/calibration/calibrate_figures.hpp"
#include "validate/calibration/curve_seconds.hpp"
#include "validate/calibration/fitted_nulls.hpp"
#include "validate/calibration/without_site.hpp"
#endif

namespace {

using namespace fabricast;

constexpr const char* usage =
    "usage: fabricast-accuracy [--data DIR]... [--loso] [--calibrate] [--docs DIR] [--measurements DIR] [--rows DIR]\n"
    "  --data DIR  forecast the measurements of this folder too\n"
    "  --loso      refit without each site, publisher and GPU (minutes) and keep the result beside the measurements\n"
    "  --calibrate calibrate each system on half of its own sizes, and on a pilot (minutes; --loso does too); keep "
    "that\n"
    "  --rows DIR  where accuracy.csv with every row goes (build)\n";

#ifdef FABRICAST_HAS_CERES
// Fills the forecasts from fits that leave sites out, and returns the figures of the fit and of calibration. Only sites
// of the repository are left out; data from elsewhere were never in the fit.
std::vector<NamedFigure> leave_sites_out(std::vector<ComparedRow>& rows, const Collection& collection,
                                         const Options& options, const std::filesystem::path& measurements,
                                         const Catalog& catalog, FabricCache& cache) {
    const std::vector<FitDataset> data = fit_datasets(collection);
    const std::filesystem::path file = measurements / "without_site.yaml";
    const std::string mark = fingerprint(rows);
    if (options.has("--loso")) {
        write_atomically(file, to_yaml(fit_without_each(catalog, data, cache, std::thread::hardware_concurrency(),
                                                        read_overlays(file, mark)),
                                       mark));
    }
    const SiteOverlays overlays = read_overlays(file, mark);
    if (overlays.empty()) {
        fmt::print("no fit without each site for this catalogue and these data: run again with --loso\n");
    }
    forecast_without_site(rows, collection, overlays, catalog, cache);
    forecast_fitted_nulls(rows, collection);
    std::vector<NamedFigure> figures = fit_size_figures(catalog, data, cache);
    std::ranges::move(calibration_figures(catalog, overlays, collection, rows, cache, measurements,
                                          options.has("--loso") || options.has("--calibrate")),
                      std::back_inserter(figures));
    return figures;
}
#endif

constexpr const char* ours_color = "#1f5fa8";
constexpr const char* measured_color = "#c8352b";

struct Dots {
    Forecast which;
    const char *label, *color;
};
constexpr Dots site_dots[] = {{Forecast::ours, "in the fit", ours_color},
                              {Forecast::publisher_out, "without the publisher", "#5aa0dc"},
                              {Forecast::fitted_tuning, "tuning model, fitted", "#e0b070"},
                              {Forecast::fitted_alphabeta, "alpha-beta, fitted", "#bbbbbb"}};

Panel curve_panel(const Comparison& c) {
    Panel panel;
    const Scenario& s = c.derived.scenario;
    panel.title = fmt::format("{} × {}, {} ranks, {}", s.cluster.nodes, s.cluster.node, c.derived.ranks,
                              to_string(collective_of(s).collective));
    panel.width = 400;
    panel.height = 260;
    Series ours{"forecast", {}, ours_color};
    Series measured{"measured, " + c.id, {}, measured_color, false, true};  // no line, but markers
    for (const ComparedSize& size : c.sizes) {
        if (size.counts()) {
            const auto bytes = static_cast<double>(size.measured.size.count);
            ours.points.emplace_back(bytes, size.ours.seconds);
            measured.points.emplace_back(bytes, size.measured.seconds);
        }
    }
    panel.series = {ours, measured};
    return panel;
}

// Median error of each site in the three regimes, next to the null models and the fit without the site.
std::string sites_chart(const std::vector<ComparedRow>& rows) {
    std::vector<DotChart> charts;
    for (const Regime regime : all_regimes) {
        DotChart& chart = charts.emplace_back();
        chart.title = sizes_of(regime);
        for (const auto& [site, unused] : site_medians(rows, Forecast::ours)) { chart.rows.push_back({site, {}}); }
        for (const Dots& dots : site_dots) {
            const auto medians = site_medians(rows, dots.which);
            for (DotRow& row : chart.rows) {
                const auto found = medians.find(row.label);
                const auto median = found == medians.end() ? std::nullopt : found->second[index_of(regime)];
                row.values.push_back(median ? 100 * *median : -1);
            }
            chart.colors.emplace_back(dots.color);
            if (regime == Regime::small) {  // the legend of all three
                chart.legend.emplace_back(dots.label);
            }
        }
    }
    return svg(charts);
}

// Measured and forecast times, one panel per system. A group's collective is shown by the curve with most sizes.
std::string curves_chart(const Collection& collection) {
    std::map<std::string, const Comparison*> shown;
    for (const CollectedCurve& curve : collection.curves) {
        const Comparison& c = curve.comparison;
        if (!curve.cause.empty() || c.sizes.size() < 8) { continue; }
        const SystemGroup& g = c.derived.group;
        const Comparison*& best = shown[fmt::format("{}{}{}{}", g.generation, g.nccl_era, g.fabric,
                                                    to_string(collective_of(c.derived.scenario).collective))];
        if (best == nullptr || c.sizes.size() > best->sizes.size()) { best = &c; }
    }
    std::vector<Panel> panels;
    for (const auto& [key, comparison] : shown) { panels.push_back(curve_panel(*comparison)); }
    return svg(panels, 3);
}

// How many files, of transfers too, have no forecast; each is printed with its reason. One in two folders counts once.
std::vector<NamedFigure> refused_files(const Options& options, const std::filesystem::path& measurements,
                                       const Collection& collection, const Catalog& catalog) {
    std::set<std::string> forecast;
    std::map<std::string, std::string> refused;
    for (const CollectedCurve& curve : collection.curves) { forecast.insert(curve.comparison.id); }
    for (const SkippedFile& file : collection.skipped) {
        if (file.reason != read_before) { refused.emplace(std::filesystem::path(file.file).stem(), file.reason); }
    }
    std::vector<std::filesystem::path> folders = {measurements};
    for (const std::string& folder : options.values("--data")) { folders.emplace_back(folder); }
    for (const std::filesystem::path& folder : folders) {
        const TransferAccuracy transfers = transfer_accuracy(folder, catalog);
        for (const TransferComparison& file : transfers.files) { forecast.insert(file.id); }
        refused.insert(transfers.refused.begin(), transfers.refused.end());
    }
    for (const auto& [id, why] : refused) { fmt::print("refused {}: {}\n", id, why); }
    const auto count = static_cast<double>(refused.size());
    return {{"refused_files", count, "files"},
            {"refused_files_pct", 100 * count / (count + static_cast<double>(forecast.size())), "percent"}};
}

void run(const Options& options) {
    const std::filesystem::path docs = options.value("--docs", "docs"), all_rows = options.value("--rows", "build");
    const std::filesystem::path measurements = options.value("--measurements", "validate/measurements");
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    Collection collection = collect(measurements / "nccl", catalog, cache, measurements);
    std::vector<ComparedRow> rows = accuracy_rows(collection);
    std::vector<NamedFigure> of_fits;
#ifdef FABRICAST_HAS_CERES
    of_fits = leave_sites_out(rows, collection, options, measurements, catalog, cache);
#endif
    for (const std::string& folder : options.values("--data")) {
        const Collection more = collect(folder, catalog, cache, measurements);
        const std::vector<ComparedRow> added = accuracy_rows(more);
        rows.insert(rows.end(), added.begin(), added.end());
        collection.curves.insert(collection.curves.end(), more.curves.begin(), more.curves.end());
        collection.skipped.insert(collection.skipped.end(), more.skipped.begin(), more.skipped.end());
    }
    const std::vector<NamedFigure> refused = refused_files(options, measurements, collection, catalog);
    for (const auto& figures :
         {accuracy_figures(rows), of_fits, refused, diagnose_figures(diagnose_trials(catalog, 2))}) {
        for (const NamedFigure& figure : figures) { fmt::print("{}\n", figure_line(figure)); }
    }
    write_atomically(all_rows / "accuracy.csv", rows_csv(rows));
    write_atomically(docs / "accuracy.csv", curves_csv(rows));
    write_atomically(docs / "accuracy.md", accuracy_page(rows, collection, read_misses(measurements / "misses.yaml"),
                                                         read_peers(measurements / "peers.yaml"), of_fits));
    const std::filesystem::path deviations = docs / "deviations.md";
    write_atomically(deviations, with_deviations(read_text(deviations, 1 << 20),
                                                 read_deviations(measurements / "deviations.yaml"), rows));
    write_atomically(docs / "accuracy-sites.svg", sites_chart(rows));
    write_atomically(docs / "accuracy-curves.svg", curves_chart(collection));
}

}  // namespace

int main(int argc, char** argv) { return run_tool("fabricast-accuracy", usage, argc, argv, run); }
