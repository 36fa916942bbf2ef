// fabricast doctor: what this build has, and what this machine lacks.

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/process_memory.hpp"
#include "base/sqlite.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/mpi.hpp"
#include "cli/outputs.hpp"
#include "sim/engines/engine.hpp"
#include "sim/report/html/page_html.hpp"
#include "sim/report/result_file.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast::cli {

namespace {

namespace fs = std::filesystem;

struct Checked {
    std::string of;  // "build" or "machine"
    std::string what;
    bool there = false;
    std::string note;  // what there is, or what its absence means
};

std::size_t entries(const fs::path& folder) {
    std::error_code error;
    std::size_t count = 0;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) { ++count; }
    return count;
}

bool on_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::error_code error;
        if (fs::is_regular_file(fs::path(folder) / program, error)) { return true; }
    }
    return false;
}

std::vector<Checked> build_findings() {
    std::vector<Checked> found;
    for (const Engine& engine : all_engines()) {
        const EngineTraits& traits = traits_of(engine);
        const std::string_view missing = traits.missing();
        found.push_back({"build", fmt::format("engine {}", traits.name), missing.empty(),
                         std::string(missing.empty() ? traits.about : missing)});
    }
    const auto library = [&](const char* what, bool there, const char* with, const char* without) {
        found.push_back({"build", what, there, there ? with : without});
    };
    library("Ceres", calibrate_command.positional.front().option != nullptr, "calibrate",
            "no calibrate: install libceres-dev");
    library("SQLite", has_sqlite(), "sweep --out FILE.sqlite", "sweeps write CSV only: install libsqlite3-dev");
    library("MPI", has_mpi(), "sweeps share their points, and runs their packets, under mpirun",
            "sweeps and runs stay in one process: install libopenmpi-dev");
    library("ECharts", html::has_charts(), "--html", "no --html: the build could not fetch echarts from npm");
    return found;
}

// A forecast needs none of the hardware: it is what the probes measure.
std::vector<Checked> machine_findings() {
    std::vector<Checked> found;
    found.push_back({"machine", "cores", true, std::to_string(cores())});
    found.push_back({"machine", "memory", true, fmt::format("{:.1f} GiB", memory_here() / (1 << 30))});
    const std::size_t gpus = entries("/proc/driver/nvidia/gpus");
    found.push_back({"machine", "NVIDIA GPUs", gpus > 0,
                     gpus > 0 ? std::to_string(gpus) : "none to measure; a forecast needs none"});
    const std::size_t adapters = entries("/sys/class/infiniband");
    found.push_back({"machine", "RDMA adapters", adapters > 0,
                     adapters > 0 ? std::to_string(adapters) : "none to measure; a forecast needs none"});
    const bool starts = on_path("mpirun") || on_path("srun");
    found.push_back(
        {"machine", "mpirun or srun", starts,
         starts ? "starts sweeps and runs on many machines" : "sweeps stay on this machine, or take --shard"});
    return found;
}

ExitCode print_findings(const po::variables_map& values) {
    const Outputs outputs(values, {"json"});
    const Catalog catalog = catalog_of(values);
    std::vector<Checked> found = build_findings();
    const std::vector<Checked> machine = machine_findings();
    found.insert(found.end(), machine.begin(), machine.end());
    using C = Column<Checked>;
    const Columns<Checked> columns = {
        C("of", "build or machine.", &Checked::of).printed_words("of", 8),
        C("what", "Part of it.", &Checked::what).printed_words("what", 15),
        C("there", "Whether it is there.", [](const Checked& f) { return Json(f.there); }),
        C([](const Checked& f) { return Json(f.there ? "yes" : "no"); }).printed_words("there", 5),
        C("note", "What it is for, or what its absence means.", &Checked::note).printed_words("note")};
    outputs.write_json([&] {
        return Json{{"version", version()},
                    {"parts", catalog.parts.size()},
                    {"nodes", node_parts().size()},
                    {"found", records_json(found, columns)}};
    });
    outputs.words() << fmt::format("fabricast {}, with {} and {}\n", version(), plural(catalog.parts.size(), "part"),
                                   plural(node_parts().size(), "node template"))
                    << text_table(found, fitted(columns, outputs.width()));
    return ok;
}

}  // namespace

const Command doctor_command = {
    "doctor",
    "what this build has, and what this machine lacks",
    "[OPTION...]",
    joined_options({{{"json", text_value("FILE"), "write what was found as JSON"}}, catalog_options()}),
    {},
    print_findings};

}  // namespace fabricast::cli
