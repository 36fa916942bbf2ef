// fabricast-path-accuracy [--docs DIR] [--measurements DIR]: forecasts every published transfer between two devices,
// prints the figures and writes docs/accuracy-paths.{md,csv}.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string_view>

#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "validate/tools/run_tool.hpp"
#include "validate/transfers/transfer_accuracy.hpp"

int main(int argc, char** argv) {
    using namespace fabricast;
    std::filesystem::path docs = "docs";
    std::filesystem::path measurements = "validate/measurements";
    constexpr const char* usage = "usage: fabricast-path-accuracy [--docs DIR] [--measurements DIR]\n";
    if (helped(usage, argc, argv)) {
        return 0;
    }
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 >= argc || (name != "--docs" && name != "--measurements")) {
            std::fputs(usage, stderr);
            return 2;
        }
        (name == "--docs" ? docs : measurements) = argv[i + 1];
    }
    try {
        const Catalog catalog = read_catalog();
        const TransferAccuracy accuracy = transfer_accuracy(measurements, catalog);
        write_atomically(docs / "accuracy-paths.md", transfer_page(accuracy));
        write_atomically(docs / "accuracy-paths.csv", transfer_csv(accuracy));
        for (const NamedFigure& figure : transfer_figures(accuracy)) {
            fmt::print("figure: {} {:.4g} {}\n", figure.name, figure.value, figure.unit);
        }
        for (const NamedFigure& figure : undrawn_figures(accuracy)) {
            fmt::print("figure: {} {:.4g} {}\n", figure.name, figure.value, figure.unit);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fabricast-path-accuracy: %s\n", error.what());
        return 1;
    }
}
