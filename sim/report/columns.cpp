#include "sim/report/columns.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"

namespace fabricast::inline report {

namespace {

using CellText = std::string (*)(std::string_view text);

std::string lines_of(const Records& records, CellText text, const char* between) {
    const auto line = [&](const std::vector<Json>& cells) {
        const auto word = [&](const Json& cell) {
            return cell.is_string() ? text(cell.get_ref<const std::string&>()) : cell.is_null() ? "" : cell.dump();
        };
        return fmt::format("{}\n", fmt::join(names_of(cells, word), between));
    };
    std::string lines = line({records.columns.begin(), records.columns.end()});
    for (const std::vector<Json>& row : records.rows) { lines += line(row); }
    return lines;
}

std::string without_breaks(std::string_view text) {
    std::string cell(text);
    std::ranges::replace_if(
        cell, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return cell;
}

// The start of a text, with two dots for the rest; a character of several bytes is left out whole.
std::string shortened(const std::string& text, std::size_t width) {
    if (text.size() <= width || width < 3) { return text; }
    std::size_t end = width - 2;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) { --end; }
    return text.substr(0, end) + "..";
}

}  // namespace

std::string csv_text(const Records& records) { return lines_of(records, csv_cell, ","); }

std::string tsv_text(const Records& records) { return lines_of(records, without_breaks, "\t"); }

void fit(const std::vector<TextColumn*>& columns, std::size_t width) {
    constexpr int least = 8;
    constexpr int usual = 24;  // of a last column, which has no width of its own
    const auto width_of = [&](const TextColumn* c) { return c->width == 0 && c == columns.back() ? -usual : c->width; };
    std::size_t wide = 0;
    for (const TextColumn* column : columns) {
        wide += column->gap + static_cast<std::size_t>(std::abs(width_of(column)));
    }
    if (wide <= width) { return; }
    std::vector<TextColumn*> texts;
    for (TextColumn* column : columns) {
        column->width = width_of(column);
        if (column->width < -least) { texts.push_back(column); }
    }
    for (; wide > width && !texts.empty(); --wide) {
        TextColumn* const widest = *std::ranges::min_element(texts, {}, &TextColumn::width);
        if (widest->width >= -least) { break; }
        ++widest->width;
    }
    for (TextColumn* column : texts) { column->shortened = true; }
}

std::string text_cell(const TextColumn& column, const Json& cell) {
    const std::string text = cell.is_string()                         ? cell.get<std::string>()
                             : cell.is_null()                         ? "-"
                             : cell.is_number() && column.number_text ? column.number_text(cell.get<double>())
                                                                      : cell.dump();
    const auto width = static_cast<std::size_t>(std::abs(column.width));
    if (column.shortened) { return std::string(column.gap, ' ') + padded(shortened(text, width), width); }
    return std::string(column.gap, ' ') + (column.width < 0 ? padded(text, width) : right_aligned(text, width));
}

std::string heading_line(std::string cells) {
    cells.erase(cells.find_last_not_of(' ') + 1);
    return "#" + (cells.empty() ? "" : cells.substr(1)) + "\n";
}

Json column_schema(const Json& example, const std::string& meaning) {
    const char* type = example.is_string() ? "string" : example.is_number_integer() ? "integer" : "number";
    return {{"type", type}, {"description", meaning}};
}

Json array_schema(Json properties, Json required) {
    return {{"type", "array"},
            {"items",
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", std::move(required)},
              {"additionalProperties", false}}}};
}

html::Cell page_cell(const Json& value) {
    const Json& cell = value.is_object() ? value.at("value") : value;
    return cell.is_number() ? Json(cell.get<double>()) : cell;
}

}  // namespace fabricast::inline report
