// The text output of nccl-tests: "# ..." lines about the run, a table, and then "# Avg bus bandwidth". Debug lines of
// NCCL may appear anywhere in between. The columns differ between versions and are named by the header line.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "validate/import/nccl_run.hpp"

namespace fabricast::inline validate_import::formats {
namespace {

// Positions of the columns of the table after the first, the size; out of place first, then in place.
struct Columns {
    std::size_t count = 0, type = 0, redop = 0, root = 0;  // redop, root: 0 if there is none
    std::vector<std::size_t> time;                         // each followed by algbw and busbw
    std::size_t width = 0;
    bool timestamp = false;
};

class Reader {
public:
    Reader(const LogText& log, const Statements& said) : log_(log), said_(said) {}

    std::vector<Measurement> read() {
        for (const TextLine& line : log_.lines()) {
            if (line.starts_with("#")) {
                comment(line);
            } else if (in_table_ && line.begins_with_count()) {
                row(line);
            } else {
                aside(line);
            }
        }
        if (in_table_ || started_) {
            refuse(log_.end(), in_table_ ? "the log ends within a table" : "the log ends before its table", rows_read(),
                   "a line '# Avg bus bandwidth' behind them");
        }
        return std::move(done_);
    }

private:
    // "3 rows of 10".
    std::string rows_read() const {
        const std::size_t asked = rows_asked(run_.header, run_.most_bytes);
        return fmt::format("{} rows{}", run_.rows.size(), asked == 0 ? "" : fmt::format(" of {}", asked));
    }

    void comment(const TextLine& line) {
        if (line.contains("nccl-tests version")) {
            begin(line);
            run_.tool = "nccl-tests " + word_behind(line, "version");
            if (const std::size_t at = line.text.find("nccl-library="); at != std::string_view::npos) {
                const TextLine rest{line.text.substr(at + 13), line.number, line.column + static_cast<int>(at) + 13,
                                    true};
                run_.nccl =
                    nccl_version_of_code(count_in(log_, rest, rest.words().empty() ? TextWord{} : rest.words()[0]));
            }
        } else if (line.contains("Collective test starting:")) {
            begin(line);
            run_.collective = nccl_collective(line.text.substr(line.text.find(':') + 1));
        } else if (line.contains("nThread ") && line.contains("minBytes ")) {
            if (!run_.header.empty()) { begin(line); }
            started_ = true;
            run_.place = log_.at(line);
            run_.header = line.text.substr(std::min(line.text.find("nThread"), line.text.size()));
            run_.header += registered_;
        } else if (line.contains("Reducing maxBytes to ")) {
            // The options ask for more than the GPUs can hold; the run stops here instead (nccl-tests, src/common.cu).
            const std::string bytes = word_behind(line, "to");
            run_.most_bytes = count_in(log_, line, {bytes, line.column});
        } else if (line.contains(" Rank ") && line.contains(" device ")) {
            device(line);
        } else if (line.contains(" size ") && line.contains(" algbw ")) {
            header(line);
        } else if (line.contains("Out of bounds values") && line.contains("FAILED")) {
            refuse(log_.at(line), "the run failed its own check of the data", shown(line.text));
        } else if (line.contains("Avg bus bandwidth")) {
            finish(line);
        }
    }

    // A new run begins. Throws if the previous one is unfinished.
    void begin(const TextLine& line) {
        if (in_table_ || !run_.rows.empty() || !run_.header.empty()) {
            refuse(log_.at(line), "another run begins before the table of the last ends", rows_read(),
                   "a line '# Avg bus bandwidth'");
        }
        started_ = true;
        run_.place = log_.at(line);
    }

    static std::string word_behind(const TextLine& line, std::string_view key) {
        const std::vector<TextWord> fields = line.words();
        for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
            if (fields[i].text == key) { return std::string(fields[i + 1].text); }
        }
        return "";
    }

    // "#  Rank  0 Group  0 Pid 440010 on cnode2-001 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3"
    void device(const TextLine& line) {
        const std::size_t bracket = line.text.find(']');
        const std::string host = word_behind(line, "on");
        if (bracket == std::string_view::npos || host.empty()) {
            refuse(log_.at(line), "a line of a rank that was cut", shown(line.text),
                   "Rank N ... on HOST device N [BUS] GPU");
        }
        ++run_.ranks;
        run_.hosts.insert(host);
        const std::string gpu(line.text.substr(std::min(bracket + 2, line.text.size())));
        run_.gpu = run_.gpu.empty() ? gpu : run_.gpu;
    }

    void header(const TextLine& line) {
        if (in_table_) {
            return;  // printed again if the output of several ranks is mixed
        }
        columns_ = {};
        const std::vector<TextWord> fields = line.words();
        for (std::size_t i = 1; i < fields.size(); ++i) {
            const std::string_view name = fields[i].text;
            const std::size_t column = i - 1;
            columns_.count = name == "count" ? column : columns_.count;
            columns_.type = name == "type" ? column : columns_.type;
            columns_.redop = name == "redop" ? column : columns_.redop;
            columns_.root = name == "root" ? column : columns_.root;
            columns_.timestamp = columns_.timestamp || name == "timestamp";
            if (name == "time" || name == "cputime") { columns_.time.push_back(column); }
        }
        columns_.width = fields.size() - 1;
        if (columns_.time.empty() || columns_.time.size() > 2 || columns_.count == 0 || columns_.type == 0 ||
            columns_.time.back() + 2 >= columns_.width) {
            refuse(log_.at(line), "a table header that was cut", shown(line.text),
                   "size count type ... time algbw busbw, once or twice");
        }
        in_table_ = started_ = true;
        run_.in_place = columns_.time.size() == 2;
        run_.place = run_.place.file == nullptr ? log_.at(line) : run_.place;
    }

    // Some versions leave redop and root blank for collectives without them; this inserts the blank fields.
    std::vector<TextWord> with_blanks(std::vector<TextWord> fields) const {
        const std::size_t missing = columns_.width - std::min(columns_.width, fields.size());
        const auto blank_at = [&](std::size_t column) {
            if (column != 0 && column <= fields.size()) {
                fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(column), TextWord{});
            }
        };
        if (missing == 2 && columns_.redop != 0 && columns_.root == columns_.redop + 1) {
            blank_at(columns_.redop);
            blank_at(columns_.root);
        } else if (missing == 1 && columns_.redop < fields.size()) {
            const std::string_view there = fields[columns_.redop].text;
            blank_at(columns_.root == 0 || there == "-1" || is_figure(there) ? columns_.redop : columns_.root);
        }
        return fields;
    }

    void row(const TextLine& line) {
        refuse_cut_line(log_, line);
        const std::vector<TextWord> f = with_blanks(line.words());
        if (f.size() < columns_.width || (f.size() > columns_.width && !columns_.timestamp)) {
            refuse(log_.at(line), "a row of another width than its header", std::to_string(f.size()) + " columns",
                   std::to_string(columns_.width));
        }
        NcclRow row;
        row.place = log_.at(line);
        row.size = count_in(log_, line, f[0]);
        row.count = count_in(log_, line, f[columns_.count]);
        if (!run_.rows.empty() && row.size < run_.rows.back().size) {
            refuse(log_.at(line, f[0]), "sizes fall", shown(f[0].text),
                   "at least " + std::to_string(run_.rows.back().size));
        }
        run_.dtype = f[columns_.type].text;
        run_.redop = columns_.redop == 0 ? "" : std::string(f[columns_.redop].text);
        for (const std::size_t time : columns_.time) { triple(line, f, time, row); }
        run_.rows.push_back(std::move(row));
    }

    // Reads time, algbw and busbw, and checks that algbw = size / time. N/A if not measured.
    void triple(const TextLine& line, const std::vector<TextWord>& f, std::size_t at, NcclRow& row) {
        if (f[at].text == "N/A") {
            row.cells.insert(row.cells.end(), 3, "");
            return;
        }
        for (std::size_t i = at; i < at + 3; ++i) { row.cells.emplace_back(f[i].text); }
        const double us = figure_in(log_, line, f[at]);
        const double printed = figure_in(log_, line, f[at + 1]);
        busbw_sum_ += figure_in(log_, line, f[at + 2]);
        busbw_slack_ += 2 * rounding_of(f[at + 2].text);
        ++busbw_cells_;
        if (us <= 0) { refuse(log_.at(line, f[at]), "a time", shown(f[at].text), "above zero"); }
        // Old versions print one rank's part of an all-gather as `size`, but compute algbw from the whole.
        double expected = static_cast<double>(row.size) / us * 1e-3;
        const double slack = expected * 2 * rounding_of(f[at].text) / us;
        if (run_.ranks > 1 && std::abs(printed - expected) > std::abs(printed - expected * run_.ranks)) {
            expected *= run_.ranks;
        }
        check_printed(log_, line, f[at + 1], expected, slack * (run_.ranks > 1 ? run_.ranks : 1), "algbw");
    }

    void finish(const TextLine& line) {
        refuse_cut_line(log_, line);
        const std::vector<TextWord> fields = line.words();
        const auto colon = std::ranges::find(fields, std::string_view(":"), &TextWord::text);
        if (!in_table_ || run_.rows.empty() || colon == fields.end() || colon + 1 == fields.end()) {
            refuse(log_.at(line), "an end without a table", shown(line.text), "rows before it");
        }
        const std::size_t asked = rows_asked(run_.header, run_.most_bytes);
        if (asked != 0 && asked != run_.rows.size()) {
            refuse(log_.at(line), "rows are missing from the table", std::to_string(run_.rows.size()),
                   std::to_string(asked) + ", as its options ask for");
        }
        if (busbw_cells_ > 0) {
            const auto cells = static_cast<double>(busbw_cells_);
            check_printed(log_, line, *(colon + 1), busbw_sum_ / cells, busbw_slack_ / cells,
                          "the average bus bandwidth");
        }
        done_.push_back(measurement_of(std::exchange(run_, {}), log_, said_));
        in_table_ = started_ = false;
        busbw_sum_ = busbw_slack_ = 0;
        busbw_cells_ = 0;
    }

    // Debug output of NCCL, launchers and shells; only the NCCL version and the command are used.
    void aside(const TextLine& line) {
        if (line.contains("_perf ") && line.contains(" -b ")) {  // the command line, which a shell echoed
            const std::string mode = line.contains(" -R ") ? word_behind(line, "-R") : "";
            registered_ = mode.empty() ? "" : " -R " + mode;
        }
        if (const std::size_t at = line.text.find("NCCL version "); at != std::string_view::npos && run_.nccl.empty()) {
            run_.nccl = line.text.substr(at + 13, line.text.find_first_of("+ ", at + 13) - at - 13);
        }
        // RCCL since ROCm 6.3: "RCCL version : 2.26.6-HEAD:6ade506", "ROCm version : 7.0.1" (rccl/src/init.cc).
        if (const std::string rccl = release_behind(line, "RCCL version"); !rccl.empty()) { run_.nccl = rccl; }
        if (const std::string rocm = release_behind(line, "ROCm version"); !rocm.empty()) {
            run_.toolkit = "ROCm " + rocm;
        }
    }

    // "ROCm version : 7.0.1-38" -> "7.0.1".
    static std::string release_behind(const TextLine& line, std::string_view key) {
        const std::size_t at = line.text.find(key);
        if (at == std::string_view::npos) { return ""; }
        std::string_view rest = line.text.substr(at + key.size());
        rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" :")));
        return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
    }

    const LogText& log_;
    const Statements& said_;
    NcclRun run_;
    Columns columns_;
    bool started_ = false;    // the header of a run was read
    std::string registered_;  // " -R 2": the table does not say how its buffers are registered
    bool in_table_ = false;   // the header of its table was read, its end not yet
    double busbw_sum_ = 0, busbw_slack_ = 0;
    std::size_t busbw_cells_ = 0;
    std::vector<Measurement> done_;
};

std::vector<Measurement> read_nccl_tests(const LogText& log, const Statements& said) {
    return Reader(log, said).read();
}

bool is_nccl_tests(std::string_view t) {
    return holds(t, "# nThread ") || holds(t, "# nccl-tests version") ||
           (holds(t, "out-of-place") && holds(t, "algbw"));
}

}  // namespace

extern const LogFormat nccl_tests = {"nccl-tests", "nccl-tests' table", true, is_nccl_tests, read_nccl_tests};

}  // namespace fabricast::inline validate_import::formats
