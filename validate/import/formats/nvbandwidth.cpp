// The text output of nvbandwidth: "Running TEST.", what the test measures and in which unit, a matrix, and then "SUM
// TEST VALUE". Tests that the machine cannot run are "Waived:".

#include <optional>

#include "validate/import/log_table.hpp"

namespace fabricast::inline validate_import::formats {
namespace {

struct Machine {
    std::string gpu, driver, runtime, version;
};

// The unit in the description of a test: "(GB/s)" or "(ns)".
std::string_view unit_of(const LogText& log, const TextLine& line) {
    if (line.contains("(GB/s)")) { return "GBps"; }
    if (line.contains("(ns)")) { return "ns"; }
    refuse(log.at(line), "what a test measures", shown(line.text), "a line with (GB/s) or (ns)");
}

// Checks a matrix against its line "SUM TEST VALUE", the sum of its cells.
void check_sum(const LogText& log, const TextLine& line, const std::string& test, const Measurement& m) {
    refuse_cut_line(log, line);
    const std::vector<TextWord> fields = line.words();
    if (fields.size() != 3 || fields[0].text != "SUM" || fields[1].text != test) {
        refuse(log.at(line), "a matrix without its sum", shown(line.text), "SUM " + test + " VALUE");
    }
    const MatrixSum total = sum_of(m);
    check_printed(log, line, fields[2], total.sum, total.rounding, "the sum of a matrix");
}

void take_machine(const TextLine& line, Machine& machine) {
    const auto take = [&](const char* key, std::string& into) {
        if (const auto value = line.value_of(key); value && into.empty() && line.starts_with(key)) { into = *value; }
    };
    take("nvbandwidth Version", machine.version);
    take("CUDA Runtime Version", machine.runtime);
    take("Driver Version", machine.driver);
    take("Device 0", machine.gpu);
}

// Reads the test whose title is line `at`, and moves `at` behind it. Nothing if the machine cannot run it.
std::optional<Measurement> read_test(const LogText& log, std::size_t& at, const Machine& machine) {
    const std::vector<TextLine>& lines = log.lines();
    const TextLine& title = lines[at];
    std::string name(title.text.substr(8));
    if (!name.ends_with('.') || name.find(' ') != std::string::npos) {
        refuse(log.at(title), "the name of a test", shown(title.text), "Running TEST.");
    }
    name.pop_back();
    if (++at >= lines.size()) { refuse(log.end(), "the log ends within the test '" + name + "'"); }
    const TextLine& description = lines[at++];
    if (description.contains("Waived")) { return std::nullopt; }
    Measurement m = read_matrix(log, at, unit_of(log, description));
    while (at < lines.size() && lines[at].words().empty()) { ++at; }
    if (at >= lines.size()) {
        refuse(log.end(), "the log ends before the sum of a matrix", "", "SUM " + name + " VALUE");
    }
    check_sum(log, lines[at++], name, m);
    const SourceLocation place = log.at(title);
    describe_copies(m, machine.version.empty() ? "nvbandwidth" : "nvbandwidth " + machine.version, name,
                    machine.gpu.substr(0, machine.gpu.find(" (0")), place);
    state(m.benchmark, place, {{"description", description.text}});
    if (machine.runtime.size() == 5) {  // 12040 -> 12.4
        state(m.software, place, {{"cuda", machine.runtime.substr(0, 2) + "." + machine.runtime.substr(3, 1)}});
    }
    state(m.software, place, {{"driver", machine.driver}});
    return m;
}

std::vector<Measurement> read_nvbandwidth(const LogText& log, const Statements&) {
    Machine machine;
    std::vector<Measurement> tables;
    for (std::size_t at = 0; at < log.lines().size();) {
        const TextLine& line = log.lines()[at];
        if (line.starts_with("Running ")) {
            if (auto table = read_test(log, at, machine)) { tables.push_back(std::move(*table)); }
            continue;
        }
        if (line.starts_with("ERROR") || line.starts_with("SUM ") || line.starts_with("memcpy ")) {
            refuse(log.at(line), "outside of a test", shown(line.text), "Running TEST.");
        }
        take_machine(line, machine);
        ++at;
    }
    return tables;
}

bool is_nvbandwidth(std::string_view t) {
    return holds(t, "nvbandwidth Version") || (holds(t, "Running ") && holds(t, "SUM "));
}

}  // namespace

extern const LogFormat nvbandwidth = {"nvbandwidth", "nvbandwidth's matrices", true, is_nvbandwidth, read_nvbandwidth};

}  // namespace fabricast::inline validate_import::formats
