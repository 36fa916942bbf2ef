// perftest: a banner with the settings, a header "#bytes #iterations ...", one row per size and then a line of dashes.
// Loopback logs mix the output of server and client; a row that is printed twice counts once. MB are 2^20 bytes.

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "validate/import/log_table.hpp"

namespace fabricast::inline validate_import::formats {
namespace {

// "RDMA_Write BW Test" -> "ib_write_bw"; "" if the line is not a title.
std::string program_of(const TextLine& line) {
    if (!line.contains(" Test")) { return ""; }
    const std::string verb = line.contains("RDMA_Write")  ? "write"
                             : line.contains("RDMA_Read") ? "read"
                             : line.contains("Send")      ? "send"
                             : line.contains("Atomic")    ? "atomic"
                                                          : "";
    const std::string what = line.contains("Latency") ? "lat" : line.contains("BW") ? "bw" : "";
    return verb.empty() || what.empty() ? ""
                                        : "ib_" + verb + "_" + what + (line.contains("Bidirectional") ? " -b" : "");
}

std::vector<std::string> perftest_columns(const LogText& log, const TextLine& line) {
    std::vector<std::string> columns = columns_after("#bytes#iterations", log, line, "perftest",
                                                     "BW peak, BW average, MsgRate, t_min ... with their units");
    if (columns.size() < 2) {
        refuse(log.at(line), "a header that was cut", shown(line.text), "#bytes #iterations and more");
    }
    columns.insert(columns.begin(), {"size_bytes", "iterations"});
    return columns;
}

class PerftestReader {
public:
    explicit PerftestReader(const LogText& log) : log_(log) {}

    std::vector<Measurement> read() {
        for (const TextLine& line : log_.lines()) {
            if (const std::string program = program_of(line); !program.empty()) {
                title(line, program);
            } else if (line.contains("#bytes") && line.contains("#iterations")) {
                header(line);
            } else if (line.starts_with("-----")) {
                dashes();
            } else if (in_table_ && (line.begins_with_count() || looks_like_row(line, m_.columns.size()))) {
                row(line);
            } else {
                refuse_row_behind(line);
                banner(line);
            }
        }
        if (in_table_ || (titled_ && done_.empty())) {
            refuse(log_.end(), in_table_ ? "the log ends within a table" : "the log ends before its table",
                   std::to_string(m_.rows.size()) + " rows", "a line of dashes behind the rows");
        }
        return std::move(done_);
    }

private:
    void title(const TextLine& line, const std::string& program) {
        if (in_table_ && !m_.rows.empty()) {
            refuse(log_.at(line), "another run begins within a table", shown(line.text),
                   "a line of dashes behind the rows");
        }
        program_ = program;
        titled_ = true;
    }

    void header(const TextLine& line) {
        if (!titled_) { refuse(log_.at(line), "a table without the title of its test", "", "RDMA_Write BW Test"); }
        const std::vector<std::string> columns = perftest_columns(log_, line);
        if (in_table_ && m_.columns == columns) {
            return;  // header of the other side
        }
        m_ = {};
        m_.columns = columns;
        m_.place = log_.at(line);
        in_table_ = true;
    }

    void banner(const TextLine& line) {
        constexpr std::pair<const char*, const char*> keys[] = {{"Device", "device"},
                                                                {"Number of qps", "qps"},
                                                                {"Connection type", "connection"},
                                                                {"Mtu", "mtu"},
                                                                {"Link type", "link"},
                                                                {"TX depth", "tx_depth"},
                                                                {"GID index", "gid_index"},
                                                                {"PCIe relax order", "relaxed_ordering"}};
        for (const auto& [printed, key] : keys) {
            state(said_, log_.at(line), {{key, line.value_of(printed).value_or("")}});
        }
    }

    // A line of dashes ends a table; the other side's rows may still come.
    void refuse_row_behind(const TextLine& line) const {
        if (in_table_ || done_.empty() || !looks_like_row(line, done_.back().columns.size())) { return; }
        const std::string size(line.words()[0].text);
        if (std::ranges::none_of(done_.back().rows, [&](const auto& row) { return row[0] == size; })) {
            refuse(log_.at(line), "a row behind the line of dashes that ends its table", shown(line.text),
                   "a table without foreign lines");
        }
    }

    void row(const TextLine& line) {
        refuse_cut_line(log_, line);
        const std::vector<TextWord> f = line.words();
        if (f.size() != m_.columns.size()) {
            refuse(log_.at(line), "a row of another width than its header", std::to_string(f.size()) + " columns",
                   std::to_string(m_.columns.size()));
        }
        std::vector<std::string> cells;
        for (const TextWord& field : f) {
            figure_in(log_, line, field);
            cells.emplace_back(field.text);
        }
        if (count_in(log_, line, f[0]) < 1) { refuse(log_.at(line, f[0]), "a size", shown(f[0].text), "above zero"); }
        check_rate(line, f);
        check_times(line, f);
        if (!m_.rows.empty() && m_.rows.back()[0] == cells[0]) {
            return;  // the other side's row of the same size
        }
        if (!m_.rows.empty() && count_in_word(m_.rows.back()[0]) > count_in_word(cells[0])) {
            refuse(log_.at(line, f[0]), "sizes fall", shown(f[0].text), "above " + m_.rows.back()[0]);
        }
        add_row(m_, std::move(cells), log_.at(line));
    }

    std::size_t column(std::string_view start) const {
        const auto found = std::ranges::find_if(m_.columns, [&](const std::string& c) { return c.starts_with(start); });
        return static_cast<std::size_t>(found - m_.columns.begin());
    }

    // BW average = message rate * size.
    void check_rate(const TextLine& line, const std::vector<TextWord>& f) {
        const std::size_t bw = column("bw_avg_");
        const std::size_t rate = column("msg_rate_");
        if (bw == f.size() || rate == f.size()) { return; }
        const double unit = m_.columns[bw].ends_with("Gbps") ? 1.25e8 : 1048576;
        const double size = figure_in(log_, line, f[0]);
        const double expected = figure_in(log_, line, f[rate]) * 1e6 * size / unit;
        const double slack = 2 * rounding_of(f[rate].text) * 1e6 * size / unit;
        check_printed(log_, line, f[bw], expected, slack + 0.001 * expected, "BW average");
    }

    // t_min <= t_typical, t_avg <= t_max.
    void check_times(const TextLine& line, const std::vector<TextWord>& f) {
        const std::size_t low = column("t_min");
        const std::size_t high = column("t_max");
        for (const char* name : {"t_typical", "t_avg"}) {
            const std::size_t at = column(name);
            if (low == f.size() || high == f.size() || at == f.size()) { continue; }
            const double value = figure_in(log_, line, f[at]);
            if (value < figure_in(log_, line, f[low]) - 0.02 || value > figure_in(log_, line, f[high]) + 0.02) {
                refuse(log_.at(line, f[at]), std::string(name) + " outside of t_min and t_max", shown(f[at].text));
            }
        }
    }

    void dashes() {
        if (!in_table_ || m_.rows.empty()) { return; }
        m_.kind = "rdma";
        m_.id = program_;
        m_.benchmark = said_;
        state(m_.benchmark, m_.place, {{"tool", program_}});
        if (const auto link = said_.find("link"); link != said_.end()) {
            m_.system["network"] = {link->second.text == "IB" ? "InfiniBand" : "RoCE", link->second.place};
        }
        if (const auto device = said_.find("device"); device != said_.end()) { m_.system["nic"] = device->second; }
        done_.push_back(std::exchange(m_, {}));
        in_table_ = false;
    }

    const LogText& log_;
    Measurement m_;
    MeasurementSection said_;
    std::string program_;
    bool titled_ = false;
    bool in_table_ = false;
    std::vector<Measurement> done_;
};

std::vector<Measurement> read_perftest(const LogText& log, const Statements&) { return PerftestReader(log).read(); }

bool is_perftest(std::string_view t) { return holds(t, "#bytes") && holds(t, "#iterations"); }

}  // namespace

extern const LogFormat perftest = {"perftest", "ib_write_bw, ib_write_lat, ib_read_*, ib_send_*", true, is_perftest,
                                   read_perftest};

}  // namespace fabricast::inline validate_import::formats
