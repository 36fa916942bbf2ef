#pragma once
// What commands write: pages, whose prose is in validate/pages/*.md with a name in braces where text is filled in;
// their tables; figures; and tables as CSV text.

#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace fabricast::inline score {

// "probes.md" with each {name} replaced. A name alone on its line is replaced with its line break, so its text ends in
// one or is empty. Throws std::logic_error if there is no such page, or it has no such name.
using PageTexts = std::initializer_list<std::pair<std::string_view, std::string>>;
std::string filled_page(std::string_view page, const PageTexts& texts);

// A printed figure: "nccl_mid_median_pct", 6.3, "%".
struct NamedFigure {
    std::string name;
    double value = 0;
    std::string unit = "%";
};

// nullopt if there is none of this name.
inline std::optional<double> value_of(const std::vector<NamedFigure>& figures, std::string_view name) {
    const auto found = std::ranges::find(figures, name, &NamedFigure::name);
    return found == figures.end() ? std::nullopt : std::optional(found->value);
}

// "figure: nccl_mid_median_pct 6.30 %", with two decimals.
inline std::string figure_line(const NamedFigure& figure) {
    return fmt::format("figure: {} {:.2f} {}", figure.name, figure.value, figure.unit);
}

// The same with four significant digits.
inline std::string short_figure_line(const NamedFigure& figure) {
    return fmt::format("figure: {} {:.4g} {}", figure.name, figure.value, figure.unit);
}

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
