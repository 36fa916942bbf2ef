// fabricast-training-accuracy [--families yes] [--fit FILE] [--docs DIR] [--measurements DIR] [--intervals FILE]
// [--threads N]: forecasts every training table, prints the figures and writes docs/accuracy-training.{md,csv,svg}.
// `--families yes` refits without each family and stores the result next to the measurements; `--intervals FILE` writes
// training_intervals.yaml of the catalogue from that result; `--fit FILE` writes the constants refitted to all tables.

#include "validate/training/training_accuracy.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "validate/tools/run_tool.hpp"
#include "validate/training/training_families.hpp"
#include "validate/training/training_intervals.hpp"
#include "validate/training/training_memory.hpp"

int main(int argc, char** argv) {
    using namespace fabricast;
    std::map<std::string, std::string> options = {
        {"--docs", "docs"},  {"--measurements", "validate/measurements/training"},
        {"--intervals", ""}, {"--families", ""},
        {"--fit", ""},       {"--threads", ""}};
    constexpr const char* usage =
        "usage: fabricast-training-accuracy [--families yes] [--fit FILE] [--docs DIR] [--measurements DIR] "
        "[--intervals FILE] [--threads N]\n";
    if (helped(usage, argc, argv)) {
        return 0;
    }
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 >= argc || !options.contains(argv[i])) {
            std::fputs(usage, stderr);
            return 2;
        }
        options[argv[i]] = argv[i + 1];
    }
    const std::filesystem::path docs = options["--docs"], measurements = options["--measurements"];
    const std::size_t threads = options["--threads"].empty() ? std::max(1U, std::thread::hardware_concurrency())
                                                             : std::strtoul(options["--threads"].c_str(), nullptr, 10);
    try {
        const Catalog catalog = read_catalog();
        const std::vector<TrainingTable> tables = read_training_tables(measurements);
        const std::filesystem::path kept = measurements.parent_path() / "training_families.yaml";
        std::vector<TrainingForecast> forecasts = forecast_tables(tables, catalog, threads);
        if (options["--families"] == "yes" || !options["--fit"].empty()) {
            const std::vector<RowSlope> rows = slopes(tables, catalog, threads);
            if (!options["--fit"].empty()) {
                write_atomically(options["--fit"], fit_yaml(catalog, refitted(catalog, tables, rows, "")));
            }
            if (options["--families"] == "yes") {
                write_family_out(kept, family_out(tables, forecasts, rows, catalog, threads));
            }
        }
        const FamilyOut out = read_family_out(kept);
        take_family_out(tables, out, forecasts);
        if (!options["--intervals"].empty()) {
            write_atomically(
                options["--intervals"],
                training_intervals_yaml(aspects_of(tables, forecasts), training_ranges(tables, forecasts, catalog)));
        }
        const std::string stale = out.fingerprint == training_fingerprint(tables, forecasts)
                                      ? ""
                                      : "Left-out forecasts are of an earlier state of tables, priors or forecasts: "
                                        "make them again with `fabricast-training-accuracy --families yes`.";
        std::vector<NamedFigure> figures = training_figures(tables, forecasts);
        std::vector<TrainingTable> layouts = tables;
        for (TrainingTable& table : read_layout_tables(measurements)) {
            layouts.push_back(std::move(table));
        }
        const std::vector<MemoryVerdict> memory = memory_verdicts(layouts, catalog);
        for (const std::vector<NamedFigure>& more :
             {training_coverage(tables, forecasts, catalog), memory_figures(memory)}) {
            figures.insert(figures.end(), more.begin(), more.end());
        }
        write_atomically(docs / "accuracy-training.md",
                         training_page(tables, forecasts, figures, stale) + memory_lines(layouts, memory));
        write_atomically(docs / "accuracy-training.svg", training_chart(tables, forecasts));
        write_atomically(docs / "accuracy-training.csv", training_csv(tables, forecasts));
        if (!stale.empty()) {
            fmt::print(stderr, "fabricast-training-accuracy: {}\n", stale);
        }
        for (const NamedFigure& figure : figures) {
            fmt::print("figure: {} {:.4g} {}\n", figure.name, figure.value, figure.unit);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fabricast-training-accuracy: %s\n", error.what());
        return 1;
    }
}
