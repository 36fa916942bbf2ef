// The CUDA samples p2pBandwidthLatencyTest and bandwidthTest. No real log was available: the fixtures follow the source
// of the samples and output shown on public pages.

#include "validate/import/log_table.hpp"

namespace fabricast::inline validate_import::formats {
namespace {

// "Device: 0, NVIDIA A100-SXM4-80GB, pciBusID: 7, ..." and " Device 0: Tesla T4" of bandwidthTest.
std::string gpu_in(const TextLine& line) {
    if (const auto listed = line.value_of("Device"); listed && line.contains("pciBusID")) {
        const std::size_t from = listed->find(", ");
        const std::string_view rest = from == std::string_view::npos ? "" : listed->substr(from + 2);
        return std::string(rest.substr(0, rest.find(',')));
    }
    return std::string(line.value_of("Device 0").value_or(""));
}

std::vector<Measurement> read_p2p_bandwidth_latency(const LogText& log, const Statements&) {
    std::vector<Measurement> tables;
    std::string gpu;
    const std::vector<TextLine>& lines = log.lines();
    bool whole = false;
    for (std::size_t at = 0; at < lines.size();) {
        const TextLine& title = lines[at];
        whole = whole || title.contains("NOTE: The CUDA Samples");
        gpu = gpu.empty() ? gpu_in(title) : gpu;
        ++at;
        if (!title.contains("P2P=") || !title.contains("Matrix (")) { continue; }
        const bool time = title.contains("(us)");
        if (!time && !title.contains("(GB/s)")) {
            refuse(log.at(title), "a matrix in no known unit", shown(title.text), "(GB/s), (us)");
        }
        // Latencies are printed twice: timed by the GPU and by the CPU.
        for (int part = 0; part < (time ? 2 : 1); ++part) {
            while (part > 0 && at < lines.size() && lines[at].words().empty()) { ++at; }
            Measurement& m = tables.emplace_back(read_matrix(log, at, time ? "us" : "GBps"));
            const char* clock = !time ? "" : part == 0 ? ", timed by the GPU" : ", timed by the CPU";
            describe_copies(m, "p2pBandwidthLatencyTest", std::string(title.text) + clock, gpu, log.at(title));
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
    for (const TextLine& line : log.lines()) {
        const std::vector<TextWord> fields = line.words();
        gpu = gpu.empty() ? gpu_in(line) : gpu;
        if (line.contains("Result = FAIL")) { refuse(log.at(line), "the run failed"); }
        whole = whole || line.contains("Result = PASS");
        if (line.contains(" Bandwidth, ")) {
            direction = line.text.substr(line.text.find_first_not_of(' '));
            in_table = false;
        } else if (line.contains("Memory Transfers")) {
            memory = fields.front().text;
        } else if (line.contains("Transfer Size (Bytes)")) {
            unit = line.contains("(GB/s)") ? "GBps" : line.contains("(MB/s)") ? "MBps" : "";
            if (unit.empty() || direction.empty()) {
                refuse(log.at(line), "a header that was cut", shown(line.text), "Bandwidth(GB/s) or Bandwidth(MB/s)");
            }
            Measurement& m = tables.emplace_back();
            m.place = log.at(line);
            m.columns = {"size_bytes", unit};
            describe_copies(m, "bandwidthTest", direction.substr(0, direction.find(',')) + ", " + memory, gpu, m.place);
            in_table = true;
        } else if (in_table && line.begins_with_count()) {
            refuse_cut_line(log, line);
            if (fields.size() != 2) { refuse(log.at(line), "a row", shown(line.text), "a size and a bandwidth"); }
            if (count_in(log, line, fields[0]) < 1) {
                refuse(log.at(line, fields[0]), "a size", shown(fields[0].text), "above zero");
            }
            figure_in(log, line, fields[1]);
            add_row(tables.back(), {std::string(fields[0].text), std::string(fields[1].text)}, log.at(line));
        } else if (!fields.empty()) {
            in_table = false;
        }
    }
    for (const Measurement& m : tables) {
        if (m.rows.empty()) { refuse(m.place, "a table without rows", "", "a size and a bandwidth a row"); }
    }
    if (!whole && !tables.empty()) { refuse(log.end(), "the log ends too early", "", "a line 'Result = PASS'"); }
    return tables;
}

bool fits_p2p(std::string_view t) { return holds(t, "P2P=Enabled") || holds(t, "P2P=Disabled"); }

bool fits_bandwidth_test(std::string_view t) {
    return holds(t, "Memory Transfers") || holds(t, "[CUDA Bandwidth Test]");
}

}  // namespace

extern const LogFormat p2p_bandwidth_latency = {"p2p-bandwidth-latency", "the CUDA sample p2pBandwidthLatencyTest",
                                                false, fits_p2p, read_p2p_bandwidth_latency};
extern const LogFormat bandwidth_test = {"bandwidth-test", "the CUDA sample bandwidthTest", false, fits_bandwidth_test,
                                         read_bandwidth_test};

}  // namespace fabricast::inline validate_import::formats
