#pragma once
// Tables as Markdown and CSV text.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace fabricast::inline score {

// "| a | b |\n", and with the rule below it.
inline std::string markdown_row(const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
}
inline std::string markdown_head(const std::vector<std::string>& titles) {
    return markdown_row(titles) + "|" +
           fmt::format("{}\n", fmt::join(std::vector<std::string_view>(titles.size(), "---|"), ""));
}

// 0.0512 -> "5.1".
inline std::string percent_cell(double share) { return fmt::format("{:.1f}", 100 * share); }

// A column of a CSV table: its name, and the text of each row's cell.
template <class Row> struct CsvColumn {
    std::string_view name;
    std::string (*text)(const Row&);
};

template <class Row> std::string csv_text(const std::vector<CsvColumn<Row>>& columns, const std::vector<Row>& rows) {
    std::string csv;
    for (const CsvColumn<Row>& column : columns) { csv += (csv.empty() ? "" : ",") + std::string(column.name); }
    for (const Row& row : rows) {
        std::string line;
        for (const CsvColumn<Row>& column : columns) {
            line += (&column == &columns.front() ? "" : ",") + csv_cell(column.text(row));
        }
        csv += "\n" + line;
    }
    return csv + "\n";
}

}  // namespace fabricast::inline score
