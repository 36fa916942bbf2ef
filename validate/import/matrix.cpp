#include "validate/import/matrix.hpp"

namespace fabricast {
namespace {

// The number of columns in the header, numbered 0 to n - 1; the words before them ("D\D", "GPU") do not count.
std::size_t width_of(const LogText& log, const LogLine& header) {
    std::size_t width = 0;
    for (const LogField& field : header.fields()) {
        if (width == 0 && !is_count(field.text)) {
            continue;
        }
        if (count_in(log, header, field) != static_cast<std::int64_t>(width)) {
            refuse(log.at(header, field), "a matrix' columns are numbered from 0", shown(field.text),
                   std::to_string(width));
        }
        ++width;
    }
    if (width == 0) {
        refuse(log.at(header), "a matrix begins with the numbers of its columns", shown(header.text), "0 1 2 ...");
    }
    return width;
}

}  // namespace

Measurement read_matrix(const LogText& log, std::size_t& at, std::string_view unit) {
    const std::vector<LogLine>& lines = log.lines();
    if (at >= lines.size()) {
        refuse(log.end(), "the file ends before a matrix");
    }
    refuse_cut_line(log, lines[at]);
    const std::size_t width = width_of(log, lines[at]);
    Measurement m;
    m.kind = "p2p";
    m.columns = {"src_gpu"};
    for (std::size_t i = 0; i < width; ++i) {
        m.columns.push_back("dst" + std::to_string(i) + "_" + std::string(unit));
    }
    for (++at; at < lines.size(); ++at) {
        const LogLine& line = lines[at];
        const std::vector<LogField> fields = line.fields();
        if (fields.empty() || !is_count(fields.front().text)) {
            break;
        }
        refuse_cut_line(log, line);
        if (count_in(log, line, fields[0]) != static_cast<std::int64_t>(m.rows.size()) || fields.size() != width + 1) {
            refuse(log.at(line), "a row of a matrix", shown(line.text),
                   "row " + std::to_string(m.rows.size()) + " with " + std::to_string(width) + " values");
        }
        std::vector<std::string>& cells = m.rows.emplace_back();
        m.row_places.push_back(log.at(line));
        for (const LogField& field : fields) {
            const bool absent = field.text == "N/A";
            if (!absent) {
                figure_in(log, line, field);
            }
            cells.emplace_back(absent ? "" : field.text);
        }
    }
    if (m.rows.empty()) {
        const SourceLocation place = at < lines.size() ? log.at(lines[at]) : log.end();
        throw InputError(place, error_message("a matrix without rows", "", "a row a device, numbered from 0"));
    }
    return m;
}

}  // namespace fabricast
