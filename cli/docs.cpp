// fabricast-docs FOLDER: writes the pages that are generated from the program's own tables (`./dev docs`).

#include <cstdio>
#include <exception>
#include <filesystem>

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "sim/report/result_file.hpp"
#include "sim/scenario/schema_docs.hpp"
#include "validate/import/probes_page.hpp"
#include "validate/tools/run_tool.hpp"

int main(int argc, char** argv) {
    using namespace fabricast;
    constexpr const char* usage = "usage: fabricast-docs FOLDER\n";
    if (helped(usage, argc, argv)) { return 0; }
    if (argc != 2 || argv[1][0] == '-') {  // this is an option, not a folder to create
        std::fputs(usage, stderr);
        return 2;
    }
    try {
        const std::filesystem::path folder = argv[1];
        std::filesystem::create_directories(folder / "schema");
        write_atomically(folder / "scenario.md", scenario_page());
        write_atomically(folder / "schema" / "scenario.json", scenario_json_schema().dump(2) + "\n");
        write_atomically(folder / "schema" / "result.json", result_json_schema().dump(2) + "\n");
        write_atomically(folder / "schema" / "catalogue.json", catalogue_json_schema().dump(2) + "\n");
        write_atomically(folder / "schema" / "overlay.json", overlay_json_schema().dump(2) + "\n");
        const std::filesystem::path measurements = folder.parent_path() / "validate" / "measurements";
        write_atomically(folder / "probes.md",
                         probes_page(yaml::read(measurements / "probes.yaml"), probe_runs(measurements)));
        return 0;
    } catch (const std::exception& error) { return static_cast<int>(report_error("fabricast-docs", error)); }
}
