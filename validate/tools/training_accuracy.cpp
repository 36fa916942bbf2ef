// fabricast-training-accuracy: forecasts every training table, prints the figures and writes
// docs/accuracy-training.{md,csv,svg}, and all that is known of each row to build/{accuracy,memory}-training.csv.
// `--families yes` refits without each family and stores the result next to the measurements; `--intervals FILE` writes
// training_intervals.yaml of the catalogue from that result; `--fit FILE` writes the constants
// fitted to all tables into that file of the catalogue (`./dev fit --training`).

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "models/embedded_catalog.hpp"
#include "validate/tools/run_tool.hpp"
#include "validate/training/kernel_figures.hpp"
#include "validate/training/training_families.hpp"
#include "validate/training/training_figures.hpp"
#include "validate/training/training_fit.hpp"
#include "validate/training/training_intervals.hpp"
#include "validate/training/training_layouts.hpp"
#include "validate/training/training_page.hpp"

namespace {

using namespace fabricast;

constexpr const char* usage =
    "usage: fabricast-training-accuracy [--families yes] [--fit FILE] [--docs DIR] [--measurements DIR] "
    "[--intervals FILE] [--rows DIR] [--threads N]\n";

constexpr const char* stale_words =
    "Left-out forecasts are of an earlier state of tables, priors or forecasts: make them again with "
    "`fabricast-training-accuracy --families yes`.";

void run(const Options& options) {
    const std::filesystem::path docs = options.value("--docs", "docs"), all_rows = options.value("--rows", "build");
    const std::filesystem::path measurements = options.value("--measurements", "validate/measurements/training");
    const std::size_t threads = options.has("--threads") ? std::strtoul(options.value("--threads").c_str(), nullptr, 10)
                                                         : std::max(1U, std::thread::hardware_concurrency());
    const Catalog catalog = read_catalog();
    const std::vector<TrainingTable> tables = read_training_tables(measurements);
    const std::filesystem::path kept = measurements.parent_path() / "training_families.yaml";
    std::vector<TrainingForecast> forecasts = forecast_tables(tables, catalog, threads);
    const bool families = options.value("--families") == "yes";
    if (families || options.has("--fit")) {
        const std::vector<RowSlope> rows = slopes(forecasts, catalog, threads);
        if (options.has("--fit")) {
            const std::filesystem::path file = options.value("--fit");
            const std::string before = read_text(file, yaml::max_file_bytes);
            write_atomically(file, with_fit(before, catalog, fit_constants(tables, rows, catalog, threads)));
            fmt::print("wrote {}: build, and make docs and left-out forecasts again (--families yes)\n", file.string());
            return;
        }
        if (families) { write_family_out(kept, family_out(forecasts, rows, catalog, threads)); }
    }
    const FamilyOut out = read_family_out(kept);
    take_family_out(out, forecasts);
    if (options.has("--intervals")) {
        write_atomically(options.value("--intervals"),
                         training_intervals_yaml(aspects_of(forecasts), training_ranges(forecasts, catalog)));
    }
    const std::string stale = out.fingerprint == training_fingerprint(forecasts) ? "" : stale_words;
    std::vector<MemoryVerdict> verdicts = memory_verdicts(tables, catalog);
    const std::vector<TrainingTable> cuts = read_training_tables(measurements, "layouts");
    std::ranges::move(memory_verdicts(cuts, catalog), std::back_inserter(verdicts));
    std::vector<TrainingForecast> of_layouts = forecast_tables(cuts, catalog, threads);
    of_layouts.insert(of_layouts.end(), forecasts.begin(), forecasts.end());
    const std::vector<LayoutGroup> groups = layout_groups(of_layouts, catalog);
    std::vector<NamedFigure> figures = training_figures(forecasts);
    const TrainingCoverage coverage = training_coverage(forecasts, catalog);
    std::ranges::move(coverage.figures(), std::back_inserter(figures));
    std::ranges::move(memory_figures(verdicts), std::back_inserter(figures));
    std::ranges::move(layout_figures(groups), std::back_inserter(figures));
    std::ranges::move(kernel_figures(measurements.parent_path() / "kernels", catalog), std::back_inserter(figures));
    write_atomically(docs / "accuracy-training.md",
                     training_page(forecasts, verdicts, coverage, figures, stale) + layouts_section(groups));
    write_atomically(docs / "accuracy-training.svg", training_chart(forecasts));
    write_atomically(docs / "accuracy-training.csv", training_csv(forecasts));
    write_atomically(all_rows / "accuracy-training.csv", training_rows_csv(forecasts));
    write_atomically(all_rows / "memory-training.csv", memory_csv(verdicts));
    if (!stale.empty()) { fmt::print(stderr, "fabricast-training-accuracy: {}\n", stale); }
    for (const NamedFigure& figure : figures) { fmt::print("{}\n", short_figure_line(figure)); }
}

}  // namespace

int main(int argc, char** argv) { return run_tool("fabricast-training-accuracy", usage, argc, argv, run); }
