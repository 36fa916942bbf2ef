#include "validate/import/log_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "validate/import/embedded.hpp"

namespace fabricast::inline validate_import {
namespace {

// The number of columns in the header, numbered 0 to n - 1; the words before them ("D\D", "GPU") do not count.
std::size_t width_of(const LogText& log, const TextLine& header) {
    std::size_t width = 0;
    for (const TextWord& field : header.words()) {
        if (width == 0 && !is_count(field.text)) { continue; }
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

void state(MeasurementSection& section, const SourceLocation& place, const KeysAndWords& said) {
    for (const auto& [key, words] : said) {
        if (!words.empty()) { section[std::string(key)] = {std::string(words), place}; }
    }
}

void describe_copies(Measurement& table, std::string_view tool, std::string_view test, std::string_view gpu,
                     const SourceLocation& place) {
    table.id = test;
    table.kind = "p2p";
    state(table.benchmark, place, {{"tool", tool}, {"test", test}});
    state(table.system, place, {{"nodes", "1"}, {"gpu", gpu}});
}

Measurement& table_named(std::vector<Measurement>& tables, std::string_view id, const std::vector<std::string>& columns,
                         const SourceLocation& place) {
    if (const auto found = std::ranges::find(tables, id, &Measurement::id); found != tables.end()) { return *found; }
    Measurement& table = tables.emplace_back();
    table.id = id;
    table.place = place;
    table.columns = columns;
    return table;
}

bool looks_like_row(const TextLine& line, std::size_t columns) {
    const std::vector<TextWord> words = line.words();
    if (words.size() < 2 || line.starts_with("#")) { return false; }
    const bool digit = words[0].text.find_first_of("0123456789") != std::string_view::npos;
    const auto figures = std::ranges::count_if(words, [](const TextWord& word) { return is_figure(word.text); });
    constexpr std::size_t few = 2;  // "real 1.23" has the form of a size and its latency
    return (digit && is_figure(words[1].text)) ||
           (columns > few && words.size() == columns && 2 * static_cast<std::size_t>(figures) > columns);
}

void add_row(Measurement& table, std::vector<std::string> cells, const SourceLocation& place) {
    table.rows.push_back(std::move(cells));
    table.row_places.push_back(place);
}

std::vector<std::string> columns_after(std::string_view start, const LogText& log, const TextLine& header,
                                       std::string_view tool, std::string_view examples) {
    static const yaml::Node tables = embedded_tree("validate/columns.yaml");
    const std::vector<yaml::Node>& known = tables.required("printed").required(tool).members();
    std::string rest;
    for (const TextWord& field : header.words()) { rest += field.text; }
    rest.erase(0, rest.starts_with(start) ? start.size() : 0);
    std::vector<std::string> columns;
    while (!rest.empty()) {
        const auto column = std::ranges::find_if(known, [&](const yaml::Node& c) { return rest.starts_with(c.name); });
        if (column == known.end()) {
            refuse(log.at(header), fmt::format("a column that {} is not known to print", tool), shown(rest), examples);
        }
        columns.push_back(column->as_string());
        rest.erase(0, column->name.size());
    }
    return columns;
}

Measurement read_matrix(const LogText& log, std::size_t& at, std::string_view unit) {
    const std::vector<TextLine>& lines = log.lines();
    if (at >= lines.size()) { refuse(log.end(), "the file ends before a matrix"); }
    refuse_cut_line(log, lines[at]);
    const std::size_t width = width_of(log, lines[at]);
    Measurement m;
    m.columns = {"src_gpu"};
    for (std::size_t i = 0; i < width; ++i) { m.columns.push_back(fmt::format("dst{}_{}", i, unit)); }
    for (++at; at < lines.size(); ++at) {
        const TextLine& line = lines[at];
        if (!line.begins_with_count()) { break; }
        const std::vector<TextWord> fields = line.words();
        refuse_cut_line(log, line);
        if (count_in(log, line, fields[0]) != static_cast<std::int64_t>(m.rows.size()) || fields.size() != width + 1) {
            refuse(log.at(line), "a row of a matrix", shown(line.text),
                   fmt::format("row {} with {} values", m.rows.size(), width));
        }
        std::vector<std::string> cells;
        for (const TextWord& field : fields) {
            const bool absent = field.text == "N/A";
            if (!absent) { figure_in(log, line, field); }
            cells.emplace_back(absent ? "" : field.text);
        }
        add_row(m, std::move(cells), log.at(line));
    }
    if (m.rows.empty()) {
        refuse(at < lines.size() ? log.at(lines[at]) : log.end(), "a matrix without rows", "",
               "a row a device, numbered from 0");
    }
    return m;
}

MatrixSum sum_of(const Measurement& matrix) {
    MatrixSum total;
    for (const std::vector<std::string>& row : matrix.rows) {
        for (std::size_t i = 1; i < row.size(); ++i) {
            total.sum += figure_in_word(row[i]).value_or(0);
            total.rounding += row[i].empty() ? 0 : rounding_of(row[i]);
        }
    }
    return total;
}

}  // namespace fabricast::inline validate_import
