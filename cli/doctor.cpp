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

// What the build has, and what the machine has. A forecast needs none of the hardware: it is what the probes measure.
std::vector<Checked> findings() {
    std::vector<Checked> found;
    const auto add = [&](const char* of, std::string what, bool there, std::string_view with,
                         std::string_view without) {
        found.push_back({of, std::move(what), there, std::string(there ? with : without)});
    };
    for (const Engine& engine : all_engines()) {
        const EngineTraits& traits = traits_of(engine);
        const std::string_view missing = traits.missing();
        add("build", fmt::format("engine {}", traits.name), missing.empty(), traits.about, missing);
    }
    add("build", "Ceres", calibrate_command.positional.front().option != nullptr, "calibrate",
        "no calibrate: install libceres-dev");
    add("build", "SQLite", has_sqlite(), "sweep --out FILE.sqlite", "sweeps write CSV only: install libsqlite3-dev");
    add("build", "MPI", has_mpi(), "sweeps share their points, and runs their packets, under mpirun",
        "sweeps and runs stay in one process: install libopenmpi-dev");
    add("build", "ECharts", html::has_charts(), "--html", "no --html: the build could not fetch echarts from npm");
    add("machine", "cores", true, std::to_string(cores()), "");
    add("machine", "memory", true, fmt::format("{:.1f} GiB", memory_here() / (1 << 30)), "");
    for (const auto& [what, folder] :
         {std::pair{"NVIDIA GPUs", "/proc/driver/nvidia/gpus"}, std::pair{"RDMA adapters", "/sys/class/infiniband"}}) {
        const std::size_t count = entries(folder);
        add("machine", what, count > 0, std::to_string(count), "none to measure; a forecast needs none");
    }
    add("machine", "mpirun or srun", on_path("mpirun") || on_path("srun"), "starts sweeps and runs on many machines",
        "sweeps stay on this machine, or take --shard");
    return found;
}

ExitCode print_findings(const po::variables_map& values) {
    const Outputs outputs(values, {"json"});
    const Catalog catalog = catalog_of(values);
    const std::vector<Checked> found = findings();
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
