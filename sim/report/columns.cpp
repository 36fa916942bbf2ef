#include "sim/report/columns.hpp"

#include <fmt/ranges.h>

#include <cstdlib>

#include "base/nearest_word.hpp"
#include "base/text.hpp"

namespace fabricast::inline report {

namespace {

std::string csv_line(const std::vector<Json>& cells) {
    const auto word = [](const Json& cell) {
        return cell.is_string() ? csv_cell(cell.get_ref<const std::string&>()) : cell.is_null() ? "" : cell.dump();
    };
    return fmt::format("{}\n", fmt::join(names_of(cells, word), ","));
}

}  // namespace

std::string csv_text(const Records& records) {
    std::string lines = csv_line({records.columns.begin(), records.columns.end()});
    for (const std::vector<Json>& row : records.rows) { lines += csv_line(row); }
    return lines;
}

std::string text_cell(const TextColumn& column, const Json& cell) {
    const std::string text = cell.is_string()                         ? cell.get<std::string>()
                             : cell.is_null()                         ? "-"
                             : cell.is_number() && column.number_text ? column.number_text(cell.get<double>())
                                                                      : cell.dump();
    const auto width = static_cast<std::size_t>(std::abs(column.width));
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
