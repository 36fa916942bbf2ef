// fabricast-training-accuracy [--docs DIR] [--measurements DIR] [--threads N]: forecasts every training table, prints
// the figures and writes docs/accuracy-training.{md,csv}.

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

int main(int argc, char** argv) {
    using namespace fabricast;
    std::filesystem::path docs = "docs";
    std::filesystem::path measurements = "validate/measurements/training";
    std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 >= argc || (name != "--docs" && name != "--measurements" && name != "--threads")) {
            std::fputs("usage: fabricast-training-accuracy [--docs DIR] [--measurements DIR] [--threads N]\n", stderr);
            return 2;
        }
        if (name == "--docs") {
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
        const std::vector<TrainingForecast> forecasts = forecast_tables(tables, catalog, threads);
        const std::vector<NamedFigure> figures = training_figures(tables, forecasts);
        write_atomically(docs / "accuracy-training.md", training_page(tables, forecasts, figures));
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
