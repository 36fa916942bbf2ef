// fabricast-training-accuracy [--families yes] [--docs DIR] [--measurements DIR] [--threads N]: forecasts every
// training table, prints the figures and writes docs/accuracy-training.{md,csv}.

#include "validate/training_accuracy.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <thread>

#include "sim/io/text_file.hpp"
#include "sim/scenario/catalog_reader.hpp"
#include "validate/training_families.hpp"

int main(int argc, char** argv) {
    using namespace fabricast;
    std::filesystem::path docs = "docs";
    std::filesystem::path measurements = "validate/measurements/training";
    bool families = false;  // refit without each family (minutes) and keep the result
    std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 >= argc ||
            (name != "--families" && name != "--docs" && name != "--measurements" && name != "--threads")) {
            std::fputs(
                "usage: fabricast-training-accuracy [--families yes] [--docs DIR] [--measurements DIR] [--threads N]\n",
                stderr);
            return 2;
        }
        if (name == "--families") {
            families = std::string_view(argv[i + 1]) == "yes";
        } else if (name == "--docs") {
            docs = argv[i + 1];
        } else if (name == "--measurements") {
            measurements = argv[i + 1];
        } else {
            threads = std::strtoul(argv[i + 1], nullptr, 10);
        }
    }
    try {
        const Catalog catalog = read_catalog();
        const std::vector<TrainingTable> tables = read_training_tables(measurements);
        const std::filesystem::path kept = measurements.parent_path() / "training_families.yaml";
        if (families) {
            write_family_out(kept, family_out_medians(tables, catalog, threads));
        }
        const std::map<std::string, double> family_out = read_family_out(kept);
        const std::vector<TrainingForecast> forecasts = forecast_tables(tables, catalog, threads);
        const std::vector<NamedFigure> figures = training_figures(tables, forecasts, family_out);
        write_atomically(docs / "accuracy-training.md", training_page(tables, forecasts, figures, family_out));
        write_atomically(docs / "accuracy-training.svg", training_chart(tables, forecasts, family_out));
        write_atomically(docs / "accuracy-training.csv", training_csv(tables, forecasts));
        for (const NamedFigure& figure : figures) {
            fmt::print("figure: {} {:.4g} {}\n", figure.name, figure.value, figure.unit);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fabricast-training-accuracy: %s\n", error.what());
        return 1;
    }
}
