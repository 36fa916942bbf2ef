// fabricast-path-accuracy [--docs DIR] [--measurements DIR] [--rows DIR]: forecasts every published transfer between
// two devices, prints the figures and writes docs/accuracy-paths.{md,csv}, and every row to build/accuracy-paths.csv.

#include <fmt/format.h>

#include <filesystem>

#include "base/text_file.hpp"
#include "models/embedded_catalog.hpp"
#include "validate/tools/run_tool.hpp"
#include "validate/transfers/transfer_accuracy.hpp"

int main(int argc, char** argv) {
    using namespace fabricast;
    constexpr const char* usage = "usage: fabricast-path-accuracy [--docs DIR] [--measurements DIR] [--rows DIR]\n";
    return run_tool("fabricast-path-accuracy", usage, argc, argv, [](const Options& options) {
        const std::filesystem::path docs = options.value("--docs", "docs"), rows = options.value("--rows", "build");
        const TransferAccuracy accuracy =
            transfer_accuracy(options.value("--measurements", "validate/measurements"), read_catalog());
        write_atomically(docs / "accuracy-paths.md", transfer_page(accuracy));
        write_atomically(docs / "accuracy-paths.csv", transfer_files_csv(accuracy));
        write_atomically(rows / "accuracy-paths.csv", transfer_rows_csv(accuracy));
        for (const NamedFigure& figure : transfer_figures(accuracy)) { fmt::print("{}\n", short_figure_line(figure)); }
    });
}
