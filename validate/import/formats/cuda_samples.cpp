// The CUDA samples p2pBandwidthLatencyTest and bandwidthTest. No real log was available: the fixtures follow the source
// of the samples and output shown on public pages.

#include "validate/import/matrix.hpp"

namespace fabricast {
namespace {

// "Device: 0, NVIDIA A100-SXM4-80GB, pciBusID: 7, ..." and " Device 0: Tesla T4" of bandwidthTest.
std::string gpu_in(const LogLine& line) {
    if (const auto listed = line.value_of("Device"); listed && line.contains("pciBusID")) {
        const std::size_t from = listed->find(", ");
        const std::string_view rest = from == std::string_view::npos ? "" : listed->substr(from + 2);
        return std::string(rest.substr(0, rest.find(',')));
    }
    return std::string(line.value_of("Device 0").value_or(""));
}

void describe(Measurement& m, std::string_view tool, std::string_view test, const std::string& gpu,
              const SourceLocation& place) {
    m.kind = "p2p";
    m.place = place;
    m.benchmark["tool"] = {std::string(tool), place};
    m.benchmark["test"] = {std::string(test), place};
    m.system["nodes"] = {"1", place};
    if (!gpu.empty()) {
        m.system["gpu"] = {gpu, place};
    }
}

bool ends_the_samples_output(const LogLine& line) { return line.contains("NOTE: The CUDA Samples"); }

std::int64_t counts_before(const LogText& log, const LogLine& line, const LogField& field) {
    const std::int64_t size = count_in(log, line, field);
    if (size < 1) {
        refuse(log.at(line, field), "a size", shown(field.text), "above zero");
    }
    return size;
}

std::vector<Measurement> read_p2p_bandwidth_latency(const LogText& log, const Statements&) {
    std::vector<Measurement> tables;
    std::string gpu;
    const std::vector<LogLine>& lines = log.lines();
    bool whole = false;
    for (std::size_t at = 0; at < lines.size();) {
        const LogLine& title = lines[at];
        whole = whole || ends_the_samples_output(title);
        gpu = gpu.empty() ? gpu_in(title) : gpu;
        ++at;
        if (!title.contains("P2P=") || !title.contains("Matrix (")) {
            continue;
        }
        const bool time = title.contains("(us)");
        if (!time && !title.contains("(GB/s)")) {
            refuse(log.at(title), "a matrix in no known unit", shown(title.text), "(GB/s), (us)");
        }
        // Latencies are printed twice: timed by the GPU and by the CPU.
        for (int part = 0; part < (time ? 2 : 1); ++part) {
            while (part > 0 && at < lines.size() && lines[at].fields().empty()) {
                ++at;
            }
            Measurement m = read_matrix(log, at, time ? "us" : "GBps");
            const std::string test =
                std::string(title.text) + (time ? part == 0 ? ", timed by the GPU" : ", timed by the CPU" : "");
            describe(m, "p2pBandwidthLatencyTest", test, gpu, log.at(title));
            m.id = test;
            tables.push_back(std::move(m));
        }
    }
    if (!whole && !tables.empty()) {
        refuse(log.end(), "the log ends too early", std::to_string(tables.size()) + " matrices",
               "the line 'NOTE: The CUDA Samples ...' behind the last");
    }
    return tables;
}

std::vector<Measurement> read_bandwidth_test(const LogText& log, const Statements&) {
    std::vector<Measurement> tables;
    std::string gpu;
    std::string direction;
    std::string memory;
    bool in_table = false;
    bool whole = false;
    std::string unit;
    for (const LogLine& line : log.lines()) {
        const std::vector<LogField> fields = line.fields();
        gpu = gpu.empty() ? gpu_in(line) : gpu;
        if (line.contains("Result = FAIL")) {
            refuse(log.at(line), "the run failed");
        }
        whole = whole || line.contains("Result = PASS");
        if (line.contains(" Bandwidth, ")) {
            direction = line.text.substr(line.text.find_first_not_of(' '), std::string_view::npos);
            in_table = false;
        } else if (line.contains("Memory Transfers")) {
            memory = fields.front().text;
        } else if (line.contains("Transfer Size (Bytes)")) {
            unit = line.contains("(GB/s)") ? "GBps" : line.contains("(MB/s)") ? "MBps" : "";
            if (unit.empty() || direction.empty()) {
                refuse(log.at(line), "a header that was cut", shown(line.text), "Bandwidth(GB/s) or Bandwidth(MB/s)");
            }
            Measurement m;
            const std::string test = direction.substr(0, direction.find(',')) + ", " + memory;
            describe(m, "bandwidthTest", test, gpu, log.at(line));
            m.id = test;
            m.columns = {"size_bytes", unit};
            tables.push_back(std::move(m));
            in_table = true;
        } else if (in_table && !fields.empty()) {
            if (!is_count(fields.front().text)) {
                in_table = false;
                continue;
            }
            refuse_cut_line(log, line);
            if (fields.size() != 2) {
                refuse(log.at(line), "a row", shown(line.text), "a size and a bandwidth");
            }
            counts_before(log, line, fields[0]);
            figure_in(log, line, fields[1]);
            tables.back().rows.push_back({std::string(fields[0].text), std::string(fields[1].text)});
            tables.back().row_places.push_back(log.at(line));
        }
    }
    for (const Measurement& m : tables) {
        if (m.rows.empty()) {
            throw InputError(m.place, error_message("a table without rows", "", "a size and a bandwidth a row"));
        }
    }
    if (!whole && !tables.empty()) {
        refuse(log.end(), "the log ends too early", "", "a line 'Result = PASS'");
    }
    return tables;
}

bool fits_p2p(std::string_view t) { return holds(t, "P2P=Enabled") || holds(t, "P2P=Disabled"); }

bool fits_bandwidth_test(std::string_view t) {
    return holds(t, "Memory Transfers") || holds(t, "[CUDA Bandwidth Test]");
}

}  // namespace

namespace formats {
extern const LogFormat p2p_bandwidth_latency = {"p2p-bandwidth-latency", "the CUDA sample p2pBandwidthLatencyTest",
                                                false, fits_p2p, read_p2p_bandwidth_latency};
extern const LogFormat bandwidth_test = {"bandwidth-test", "the CUDA sample bandwidthTest", false, fits_bandwidth_test,
                                         read_bandwidth_test};
}  // namespace formats

}  // namespace fabricast
