// The text output of nvbandwidth: "Running TEST.", what the test measures and in which unit, a matrix, and then "SUM
// TEST VALUE". Tests that the machine cannot run are "Waived:".

#include "validate/import/log_table.hpp"

namespace fabricast::inline validate_import {
namespace {

struct Machine {
    std::string gpu, driver, runtime, version;
};

// The unit in the description of a test: "(GB/s)" or "(ns)".
std::string_view unit_of(const LogText& log, const LogLine& line) {
    if (line.contains("(GB/s)")) { return "GBps"; }
    if (line.contains("(ns)")) { return "ns"; }
    refuse(log.at(line), "what a test measures", shown(line.text), "a line with (GB/s) or (ns)");
}

// Checks a matrix against its line "SUM TEST VALUE", the sum of its cells.
void check_sum(const LogText& log, const LogLine& line, const std::string& test, const Measurement& m) {
    refuse_cut_line(log, line);
    const std::vector<LogField> fields = line.fields();
    if (fields.size() != 3 || fields[0].text != "SUM" || fields[1].text != test) {
        refuse(log.at(line), "a matrix without its sum", shown(line.text), "SUM " + test + " VALUE");
    }
    const MatrixSum total = sum_of(m);
    check_printed(log, line, fields[2], total.sum, total.rounding, "the sum of a matrix");
}

class Reader {
public:
    explicit Reader(const LogText& log) : log_(log) {}

    std::vector<Measurement> read() {
        const std::vector<LogLine>& lines = log_.lines();
        for (std::size_t at = 0; at < lines.size();) {
            const LogLine& line = lines[at];
            if (line.starts_with("Running ")) {
                test(at);
                continue;
            }
            if (line.starts_with("ERROR") || line.starts_with("SUM ") || line.starts_with("memcpy ")) {
                refuse(log_.at(line), "outside of a test", shown(line.text), "Running TEST.");
            }
            about_machine(line);
            ++at;
        }
        return std::move(tables_);
    }

private:
    void about_machine(const LogLine& line) {
        const auto take = [&](const char* key, std::string& into) {
            if (const auto value = line.value_of(key); value && into.empty() && line.starts_with(key)) {
                into = *value;
            }
        };
        take("nvbandwidth Version", machine_.version);
        take("CUDA Runtime Version", machine_.runtime);
        take("Driver Version", machine_.driver);
        take("Device 0", machine_.gpu);
    }

    void test(std::size_t& at) {
        const std::vector<LogLine>& lines = log_.lines();
        const LogLine& title = lines[at];
        std::string name(title.text.substr(8));
        if (!name.ends_with('.') || name.find(' ') != std::string::npos) {
            refuse(log_.at(title), "the name of a test", shown(title.text), "Running TEST.");
        }
        name.pop_back();
        if (++at >= lines.size()) { refuse(log_.end(), "the log ends within the test '" + name + "'"); }
        if (lines[at].contains("Waived")) {
            ++at;
            return;
        }
        const std::string_view unit = unit_of(log_, lines[at]);
        const std::string_view description = lines[at].text;
        ++at;
        Measurement m = read_matrix(log_, at, unit);
        while (at < lines.size() && lines[at].fields().empty()) { ++at; }
        if (at >= lines.size()) {
            refuse(log_.end(), "the log ends before the sum of a matrix", "", "SUM " + name + " VALUE");
        }
        check_sum(log_, lines[at], name, m);
        ++at;
        const SourceLocation place = log_.at(title);
        describe_copies(m, machine_.version.empty() ? "nvbandwidth" : "nvbandwidth " + machine_.version, name,
                        machine_.gpu.substr(0, machine_.gpu.find(" (0")), place);
        state(m.benchmark, "description", description, place);
        if (machine_.runtime.size() == 5) {  // 12040 -> 12.4
            state(m.software, "cuda", machine_.runtime.substr(0, 2) + "." + machine_.runtime.substr(3, 1), place);
        }
        state(m.software, "driver", machine_.driver, place);
        tables_.push_back(std::move(m));
    }

    const LogText& log_;
    Machine machine_;
    std::vector<Measurement> tables_;
};

std::vector<Measurement> read_nvbandwidth(const LogText& log, const Statements&) { return Reader(log).read(); }

bool fits(std::string_view t) { return holds(t, "nvbandwidth Version") || (holds(t, "Running ") && holds(t, "SUM ")); }

}  // namespace

namespace formats {
extern const LogFormat nvbandwidth = {"nvbandwidth", "nvbandwidth's matrices", true, fits, read_nvbandwidth};
}  // namespace formats

}  // namespace fabricast::inline validate_import
