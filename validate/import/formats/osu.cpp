// OSU micro-benchmarks: "# OSU ... Test v7.5", a header "# Size  Bandwidth (MB/s) ..." and one row per size. Nothing is
// printed after the last row, so a log that was cut between two rows reads as a shorter sweep. MB are 10^6 bytes.

#include "base/text.hpp"
#include "validate/import/log_table.hpp"

namespace fabricast::inline validate_import::formats {
namespace {

std::vector<std::string> osu_columns(const LogText& log, const TextLine& line) {
    std::vector<std::string> columns =
        columns_after("#Size", log, line, "OSU", "Latency (us), Bandwidth (MB/s), Validation ...");
    if (columns.empty()) { refuse(log.at(line), "a header that was cut", shown(line.text), "# Size and more"); }
    columns.insert(columns.begin(), "size_bytes");
    return columns;
}

void read_row(const LogText& log, const TextLine& line, Measurement& m) {
    refuse_cut_line(log, line);
    const std::vector<TextWord> f = line.words();
    if (f.size() != m.columns.size()) {
        refuse(log.at(line), "a row of another width than its header", shown(line.text),
               std::to_string(m.columns.size()) + " columns");
    }
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (m.columns[i] != "validation") {
            figure_in(log, line, f[i]);
            cells.emplace_back(f[i].text);
        } else if (f[i].text != "Pass") {
            refuse(log.at(line, f[i]), "a row that failed its own check", shown(f[i].text), "Pass");
        }
    }
    const std::int64_t size = count_in(log, line, f[0]);
    if (!m.rows.empty() && count_in_word(m.rows.back()[0]) >= size) {
        refuse(log.at(line, f[0]), "sizes do not rise", shown(f[0].text), "above " + m.rows.back()[0]);
    }
    add_row(m, std::move(cells), log.at(line));
}

std::vector<Measurement> read_osu(const LogText& log, const Statements&) {
    std::vector<Measurement> tables;
    std::string title, pairs;
    bool in_table = false, behind_table = false;
    for (const TextLine& line : log.lines()) {
        if (line.starts_with("# OSU ")) {
            title = line.text.substr(2);
            pairs.clear();
            in_table = false;
        } else if (line.starts_with("# [ pairs:")) {  // of osu_mbw_mr: "# [ pairs: 8 ] [ window size: 64 ]"
            pairs = line.text.substr(2);
        } else if (line.starts_with("# Size")) {
            if (title.empty()) { refuse(log.at(line), "a table without its title", "", "# OSU ... Test"); }
            Measurement& m = tables.emplace_back();
            m.columns = osu_columns(log, line);
            m.kind = "rdma";
            m.id = title.substr(0, title.find(" Test"));
            m.place = log.at(line);
            state(m.benchmark, m.place, {{"tool", title}});
            if (!pairs.empty()) { state(m.benchmark, m.place, {{"options", pairs}}); }
            in_table = true;
            behind_table = false;
        } else if (in_table && ((line.begins_with_count() && !behind_table) ||
                                looks_like_row(line, tables.back().columns.size()))) {
            read_row(log, line, tables.back());
        } else if (in_table && !line.starts_with("#") && !line.words().empty() && !tables.back().rows.empty()) {
            behind_table = true;  // output of a launcher, after the table or between its rows
        }
    }
    for (Measurement& m : tables) {
        if (m.rows.empty()) { refuse(log.end(), "a table without rows", m.benchmark["tool"].text, "a row a size"); }
        std::erase(m.columns, "validation");
    }
    if (tables.empty()) { refuse(log.end(), "the log ends before its table", shown(title), "# Size and rows"); }
    return tables;
}

bool is_osu(std::string_view t) { return holds(t, "# OSU "); }

}  // namespace

extern const LogFormat osu = {"osu", "OSU micro-benchmarks", true, is_osu, read_osu};

}  // namespace fabricast::inline validate_import::formats
