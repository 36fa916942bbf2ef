// ucx_perftest: a header of latency, bandwidth (MB are 2^20 bytes) and message rate, and one line "Final:" per run. The
// size is printed in the server's banner ("Message size: 8"); in a client's log it only follows from the ratio of the
// last columns. No real log was available: the fixtures follow UCX's documentation. Several runs become one table.

#include <cmath>

#include "base/text.hpp"
#include "validate/import/log_table.hpp"

namespace fabricast::inline validate_import::formats {
namespace {

// Iterations; latency: one percentile, average, overall; bandwidth: average, overall; message rate: average, overall.
constexpr std::size_t final_figures = 8;

// The message size from bandwidth and message rate: the power of two within 1 %, else the nearest whole number. 0:
// none.
std::int64_t size_from_ratio(double megabytes, double messages) {
    const double size = megabytes * 1048576 / messages;
    const double power = std::exp2(std::round(std::log2(size)));
    return size < 0x1p62 ? std::llround(std::abs(power / size - 1) < 0.01 ? power : size) : 0;
}

struct Run {
    std::string test, memory;
    std::int64_t size = 0;
};

// The value without the frame of "| Test:         tag match bandwidth     |".
std::string framed(const TextLine& line, std::string_view key) {
    const std::string_view value = line.value_of(key).value_or("");
    return std::string(trimmed(value.substr(0, value.find('|')), " "));
}

void take_banner(const LogText& log, const TextLine& line, Run& run) {
    if (const std::string test = framed(line, "Test"); !test.empty()) { run.test = test; }
    if (const std::string memory = framed(line, "Send memory"); !memory.empty()) { run.memory = memory; }
    if (const std::string size = framed(line, "Message size"); !size.empty()) {
        run.size = count_in(log, line, {size, line.column});
    }
}

Measurement& table_of(std::vector<Measurement>& tables, const Run& run, const SourceLocation& place) {
    const std::string id = run.test.empty() ? "ucx" : run.test + (run.memory.empty() ? "" : " " + run.memory);
    Measurement& m = table_named(tables, id, {"size_bytes", "latency_us", "bandwidth_MiBps", "messages_per_s"}, place);
    m.kind = "rdma";
    state(m.benchmark, m.place, {{"tool", "ucx_perftest"}, {"test", run.test}, {"memory", run.memory}});
    return m;
}

void take_result(const LogText& log, const TextLine& line, Run& run, std::vector<Measurement>& tables) {
    refuse_cut_line(log, line);
    const std::vector<TextWord> f = line.words();
    if (f.size() != final_figures + 1) {
        refuse(log.at(line), "a result of another width", std::to_string(f.size() - 1) + " figures",
               std::to_string(final_figures));
    }
    for (std::size_t i = 1; i < f.size(); ++i) { figure_in(log, line, f[i]); }
    const double bandwidth = figure_in(log, line, f[6]);
    const double rate = figure_in(log, line, f[8]);
    const bool told = run.size > 0;
    if (!told) {
        if (rate <= 0 || bandwidth <= 0) {
            refuse(log.at(line), "the size of the messages is not told", "", "a line 'Message size: N'");
        }
        run.size = size_from_ratio(bandwidth, rate);
        if (run.size < 1) {
            refuse(log.at(line), "bandwidth and message rate of no size", shown(line.text), "a line 'Message size: N'");
        }
    }
    const double expected = rate * static_cast<double>(run.size) / 1048576;
    const double slack = 2 * rounding_of(f[8].text) * static_cast<double>(run.size) / 1048576;
    check_printed(log, line, f[6], expected, slack + 0.01 * expected, "bandwidth");
    Measurement& m = table_of(tables, run, log.at(line));
    if (!told) { m.notes = "sizes follow from bandwidth and message rate"; }
    add_row(m, {std::to_string(run.size), std::string(f[4].text), std::string(f[6].text), std::string(f[8].text)},
            log.at(line));
    run.size = 0;
}

std::vector<Measurement> read_ucx_perftest(const LogText& log, const Statements&) {
    std::vector<Measurement> tables;
    Run run;
    bool open = false;
    for (const TextLine& line : log.lines()) {
        if (line.contains("message rate (msg/s)")) {
            open = true;
        } else if (line.starts_with("|")) {
            take_banner(log, line, run);
        } else if (line.starts_with("Final:")) {
            if (!open) { refuse(log.at(line), "a result without its header", shown(line.text), "a header of columns"); }
            take_result(log, line, run, tables);
            open = false;
        }
    }
    if (open) { refuse(log.end(), "the log ends before its result", "", "a line 'Final: ...'"); }
    return tables;
}

bool is_ucx_perftest(std::string_view t) { return holds(t, "message rate (msg/s)"); }

}  // namespace

extern const LogFormat ucx_perftest = {"ucx-perftest", "ucx_perftest", false, is_ucx_perftest, read_ucx_perftest};

}  // namespace fabricast::inline validate_import::formats
