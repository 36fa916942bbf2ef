#pragma once
// The columns of a table. Each kind of row has one list of them, and every output goes over that list: text, JSON, its
// schema, CSV, pages; sweeps and Python take what JSON and CSV have. To add a column is to add a row to the list.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/unit_text.hpp"

namespace fabricast::inline report::html {

// The unit of a number, in SI base units. The page writes 1.2e-5 of `time` as "12 us" and 0.31 of `share` as "31 %".
enum class Unit : std::uint8_t { none, count, time, rate, size, share, flops, power, money };

// A number in the unit of its column (a double, also for counts), a text, or null.
using Cell = Json;
struct Column {
    std::string label;
    Unit unit = Unit::none;
};
// A table of a page.
struct Table {
    std::string title, caption;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;   // each as long as `columns`
    bool folded = false;                   // collapsed until the reader opens it
    std::vector<std::size_t> marked = {};  // indices of rows to highlight: a Pareto set, a winner
};

}  // namespace fabricast::inline report::html

namespace fabricast::inline report {

// How a column is printed on the terminal; not at all without a heading.
struct TextColumn {
    std::string heading;
    int width = 0;                                   // negative: left-aligned
    std::string unit;                                // "(GB/s)", below the heading
    std::function<std::string(double)> number_text;  // how numbers are printed; as in JSON if empty
    std::size_t gap = 1;                             // blanks before it
    bool shortened = false;                          // to its width; else a longer cell pushes the rest of the line
};

template <class Record> struct Column {
    using Value = std::function<Json(const Record&)>;

    // In JSON, CSV, sweeps and Python. The name ends in its SI unit; `what` is for the schema.
    Column(std::string json_name, std::string what, Value of_record)
        : name(std::move(json_name)), meaning(std::move(what)), value(std::move(of_record)) {}
    // A column that is in none of them.
    explicit Column(Value of_record) : value(std::move(of_record)) {}

    Column& printed(std::string heading, int width = 0, std::string unit = "",
                    std::function<std::string(double)> number_text = {}, std::size_t gap = 1) {
        text = {std::move(heading), width, std::move(unit), std::move(number_text), gap};
        return *this;
    }
    Column& on_page(std::string label, html::Unit unit = html::Unit::none) {
        page = {std::move(label), unit};
        return *this;
    }
    // A text: left-aligned in `width`, two blanks behind the column before it.
    Column& printed_words(std::string heading, int width = 0) { return printed(std::move(heading), -width, "", {}, 2); }
    // Printed, and on the page under the same name: a text, or a number.
    Column& words(const std::string& heading, int width = 0) { return printed_words(heading, width).on_page(heading); }
    Column& number(const std::string& heading, int width, html::Unit unit,
                   std::function<std::string(double)> number_text = {}, std::string printed_unit = "") {
        return printed(heading, width, std::move(printed_unit), std::move(number_text)).on_page(heading, unit);
    }

    std::string name, meaning;  // no name: not in JSON and CSV
    Value value;                // null: not known. Of a default Record: tells the schema its type
    TextColumn text;
    html::Column page;  // no label: not on the page
};

template <class Record> using Columns = std::vector<Column<Record>>;

// The rows as a plain table of named columns.
struct Records {
    std::vector<std::string> columns;     // names as in JSON
    std::vector<std::vector<Json>> rows;  // null: not known
};

// How numbers are printed.
inline std::string time_text(double seconds) { return text(seconds, Dimension::time); }
inline std::string rate_text(double bytes_per_second) { return text(bytes_per_second, Dimension::rate); }

// RFC 4180.
std::string csv_text(const Records& records);
// Tabs between cells and nothing quoted: tabs and line breaks inside a cell become blanks, so that `cut` counts right.
std::string tsv_text(const Records& records);

// The cell of one column in a line; `text_cell` of its heading or of the unit below it if `cell` is one of them.
std::string text_cell(const TextColumn& column, const Json& cell);
// Narrows the texts among `columns` (those aligned left) until a line fits `width`: the widest first, none below eight.
void fit(const std::vector<TextColumn*>& columns, std::size_t width);
// `cells` as a line that begins with #, without blanks at its end.
std::string heading_line(std::string cells);
// {"type": "integer", "description": meaning}; `example` is a value of the column, null if it is a number not known.
Json column_schema(const Json& example, const std::string& meaning);
Json array_schema(Json properties, Json required);
// The value of a {value, low80, high80}; anything else as it is.
html::Cell page_cell(const Json& value);

template <class Record> Json record_json(const Record& record, const Columns<Record>& columns) {
    Json json = Json::object();
    for (const Column<Record>& column : columns) {
        Json value = column.name.empty() ? Json() : column.value(record);
        if (!value.is_null()) { json[column.name] = std::move(value); }
    }
    return json;
}

// What `make` returns for each item, as a list.
template <class Item, class Make> Json json_list(const std::vector<Item>& items, const Make& make) {
    Json list = Json::array();
    for (const Item& item : items) { list.push_back(make(item)); }
    return list;
}

template <class Record> Json records_json(const std::vector<Record>& records, const Columns<Record>& columns) {
    return json_list(records, [&](const Record& record) { return record_json(record, columns); });
}

template <class Record> Json properties_schema(const Columns<Record>& columns) {
    Json properties = Json::object();
    for (const Column<Record>& column : columns) {
        if (!column.name.empty()) { properties[column.name] = column_schema(column.value(Record{}), column.meaning); }
    }
    return properties;
}

// The schema of records_json.
template <class Record> Json records_schema(const Columns<Record>& columns) {
    Json required = Json::array();
    for (const Column<Record>& column : columns) {
        if (!column.name.empty() && !column.value(Record{}).is_null()) { required.push_back(column.name); }
    }
    return array_schema(properties_schema(columns), std::move(required));
}

template <class Record> Records records_of(const std::vector<Record>& records, const Columns<Record>& columns) {
    Records table;
    table.rows.resize(records.size());
    for (const Column<Record>& column : columns) {
        if (column.name.empty()) { continue; }
        table.columns.push_back(column.name);
        for (std::size_t row = 0; row < records.size(); ++row) {
            table.rows[row].push_back(column.value(records[row]));
        }
    }
    return table;
}

// The columns for a terminal of `width` characters, whose texts shorten instead of lines that wrap; as they are for 0.
template <class Record> Columns<Record> fitted(Columns<Record> columns, std::size_t width) {
    std::vector<TextColumn*> shown;
    for (Column<Record>& column : columns) {
        if (!column.text.heading.empty()) { shown.push_back(&column.text); }
    }
    if (width > 0) { fit(shown, width); }
    return columns;
}

// The headings, and below them the units if there are any.
template <class Record> std::string text_heading(const Columns<Record>& columns) {
    std::string headings, units;
    for (const Column<Record>& column : columns) {
        if (!column.text.heading.empty()) {
            headings += text_cell(column.text, column.text.heading);
            units += text_cell(column.text, column.text.unit);
        }
    }
    const std::string below = heading_line(units);
    return heading_line(headings) + (below == "#\n" ? "" : below);
}

template <class Record> std::string text_line(const Record& record, const Columns<Record>& columns) {
    std::string line;
    for (const Column<Record>& column : columns) {
        if (!column.text.heading.empty()) { line += text_cell(column.text, column.value(record)); }
    }
    return line + "\n";
}

// The heading and a line for each record.
template <class Record> std::string text_table(const std::vector<Record>& records, const Columns<Record>& columns) {
    std::string lines = text_heading(columns);
    for (const Record& record : records) { lines += text_line(record, columns); }
    return lines;
}

template <class Record>
html::Table page_table(std::string title, std::string caption, const std::vector<Record>& records,
                       const Columns<Record>& columns) {
    html::Table table{std::move(title), std::move(caption), {}, {}};
    table.rows.resize(records.size());
    for (const Column<Record>& column : columns) {
        if (column.page.label.empty()) { continue; }
        table.columns.push_back(column.page);
        for (std::size_t row = 0; row < records.size(); ++row) {
            table.rows[row].push_back(page_cell(column.value(records[row])));
        }
    }
    return table;
}

}  // namespace fabricast::inline report
