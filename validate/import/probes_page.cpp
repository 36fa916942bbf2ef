#include "validate/import/probes_page.hpp"

#include <fmt/ranges.h>

#include <set>
#include <string_view>

#include "validate/score/page.hpp"

namespace fabricast::inline validate_import {
namespace {

std::string_view probe_of(const Measurement& m) { return text(m.source, "probe"); }

// What a section states under these keys, each after its name.
std::string stated(const MeasurementSection& section, const char* separator,
                   std::initializer_list<std::pair<const char*, const char*>> keys) {
    std::string line;
    for (const auto& [key, name] : keys) {
        if (const std::string_view words = text(section, key); !words.empty()) {
            line += fmt::format("{}{}{}", line.empty() ? "" : separator, name, words);
        }
    }
    return line;
}

// "NVIDIA H100; 2 nodes" or the processor.
std::string system_line(const Measurement& m) {
    const std::string_view nodes = text(m.system, "nodes");
    return stated(m.system, "; ", {{"gpu", ""}, {"nic", ""}, {"cpu", ""}}) +
           (nodes.empty() || nodes == "1"
                ? ""
                : fmt::format("; {}{} nodes", m.kind == "nccl-copies" ? "one GPU as " : "", nodes));
}

std::string software_line(const Measurement& m) {
    return stated(m.software, ", ",
                  {{"nccl", "NCCL "},
                   {"cuda", "CUDA "},
                   {"driver", "driver "},
                   {"ucx", "UCX "},
                   {"rdma_core", "libibverbs "},
                   {"compiler", ""},
                   {"kernel", ""}});
}

// One line a day and machine, however many files it gave.
std::string runs_cell(const std::string& probe, const std::vector<Measurement>& runs) {
    std::set<std::string> lines;
    for (const Measurement& m : runs) {
        if (probe_of(m) == probe) { lines.insert(fmt::format("{:.10}, {}", text(m.source, "date"), system_line(m))); }
    }
    return lines.empty() ? "**never run**" : fmt::format("{}", fmt::join(lines, "<br>"));
}

}  // namespace

std::vector<Measurement> probe_runs(const std::filesystem::path& measurements) {
    std::vector<Measurement> runs;
    for (const auto& file : yaml::files_among(std::filesystem::recursive_directory_iterator(measurements))) {
        if (file.parent_path() == measurements || is_training_table(file)) { continue; }
        if (Measurement m = read_measurement(file); !probe_of(m).empty()) { runs.push_back(std::move(m)); }
    }
    return runs;
}

std::string probes_page(const yaml::Node& builds, const std::vector<Measurement>& runs) {
    builds.allow({"compiler", "probes"});
    std::string probes;
    for (const yaml::Node& probe : builds.required("probes").members()) {
        probes += markdown_row({"`" + probe.name + "`", probe.as_string(), runs_cell(probe.name, runs)});
    }
    std::string files;
    for (const Measurement& m : runs) {
        files += markdown_row({"`" + std::filesystem::path(m.file).filename().string() + "`",
                               fmt::format("{}", split_series(m).size()), fmt::format("{}", m.rows.size()),
                               software_line(m)});
    }
    return filled_page("probes.md",
                       {{"compiler", builds.required("compiler").as_string()}, {"probes", probes}, {"files", files}});
}

}  // namespace fabricast::inline validate_import
