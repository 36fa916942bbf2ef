#include "validate/import/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/json.hpp"
#include "base/schema_version.hpp"
#include "base/text_file.hpp"
#include "validate/import/embedded.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast::inline validate_import {
namespace {

bool says_nothing(const yaml::Node& value) {
    return value.is_null() || (value.is_scalar() && (value.text.empty() || (!value.quoted && value.text == "null")));
}

// A value as text: a map becomes "KEY=value KEY=value", as environments are written; a list is joined with blanks.
std::string flattened(const yaml::Node& value) {
    if (says_nothing(value)) { return ""; }
    if (value.is_scalar()) { return value.text; }
    std::string words;
    for (const yaml::Node& child : value.children) {
        words += words.empty() ? "" : " ";
        words += value.is_map() ? child.name + "=" + flattened(child) : flattened(child);
    }
    return words;
}

// `source:` may be one line of text instead of a map; that line becomes its `url`.
MeasurementSection section(const yaml::Node& root, std::string_view key) {
    MeasurementSection read;
    const yaml::Node* node = root.get(key);
    if (node == nullptr || says_nothing(*node)) { return read; }
    if (node->is_scalar() && key == "source") {
        read["url"] = {node->text, node->place};
        return read;
    }
    for (const yaml::Node& member : node->members()) {
        if (std::string value = flattened(member); !value.empty()) {
            read[member.name] = {std::move(value), member.place};
        }
    }
    return read;
}

std::string member_text(const yaml::Node& root, std::string_view key) {
    const yaml::Node* node = root.get(key);
    return node == nullptr ? "" : flattened(*node);
}

void read_table(const yaml::Node& root, Measurement& result) {
    for (const yaml::Node& column : root.required("columns").items()) { result.columns.push_back(column.as_string()); }
    for (const yaml::Node& row : root.required("rows").items()) {
        const std::vector<yaml::Node>& cells = row.items();
        if (cells.size() != result.columns.size()) {
            row.fail(error_message("a row of another width than `columns`", std::to_string(cells.size()) + " values",
                                   std::to_string(result.columns.size())));
        }
        std::vector<std::string>& texts = result.rows.emplace_back();
        for (const yaml::Node& cell : cells) { texts.push_back(flattened(cell)); }
        result.row_places.push_back(row.place);
    }
}

// What the schema says of each key at the top.
const Json& schema_keys() {
    static const Json properties = [] {
        const EmbeddedFile& schema = embedded_file(embedded_tables(), "docs/schema/measurement.json");
        return parse_json(schema.text, std::string(schema.name)).at("properties");
    }();
    return properties;
}

std::vector<std::string> names_in(const Json& keys) {
    std::vector<std::string> names;
    for (const auto& [key, unused] : keys.items()) { names.push_back(key); }
    return names;
}

// Strings quoted as in JSON are valid YAML; a plain number stays unquoted.
std::string quoted(const std::string& words) { return Json(words).dump(); }
std::string cell(const std::string& words) { return words.empty() ? "null" : is_figure(words) ? words : quoted(words); }

// What YAML reads as itself, without quotes.
bool is_plain_key(std::string_view key) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    return !key.empty() && key != "null" && std::ranges::all_of(key, fits);
}

std::string section_text(const char* name, const MeasurementSection& section) {
    if (section.empty()) { return std::string(name) + ": {}\n"; }
    std::string text = std::string(name) + ":\n";
    for (const auto& [key, said] : section) {
        text += fmt::format("  {}: {}\n", is_plain_key(key) ? key : quoted(key),
                            is_count(said.text) ? said.text : quoted(said.text));
    }
    return text;
}

std::string list_text(const std::vector<std::string>& words, std::string (*written)(const std::string&)) {
    std::string list;
    for (const std::string& word : words) { list += (list.empty() ? "" : ", ") + written(word); }
    return "[" + list + "]";
}

using Labels = std::vector<std::string>;

std::size_t index_of(const Measurement& m, std::string_view column) {
    return static_cast<std::size_t>(std::ranges::find(m.columns, column) - m.columns.begin());
}

double figure_in(const std::string& cell) { return std::strtod(cell.c_str(), nullptr); }

std::size_t median_row(const Measurement& m, std::vector<std::size_t> rows, std::size_t time) {
    std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return figure_in(m.rows[row][time]); });
    return rows[(rows.size() - 1) / 2];
}

void say(Measurement& curve, const std::string& column, const std::string& label, const SourceLocation& place) {
    if (label.empty()) { return; }
    if (column != "env") {
        curve.benchmark[column] = {label, place};
        return;
    }
    Statement& env = curve.software["env"];
    env = {env.text.empty() ? label : env.text + " " + label, place};
}

// The rows by the words in their first columns, in the order in which these come.
std::vector<std::pair<Labels, std::vector<std::size_t>>> rows_by_labels(const Measurement& m, std::size_t columns) {
    std::vector<std::pair<Labels, std::vector<std::size_t>>> parts;
    std::map<Labels, std::size_t> places;
    for (std::size_t row = 0; row < m.rows.size(); ++row) {
        const Labels labels(m.rows[row].begin(), m.rows[row].begin() + static_cast<std::ptrdiff_t>(columns));
        const auto [known, is_new] = places.try_emplace(labels, parts.size());
        if (is_new) { parts.push_back({labels, {}}); }
        parts[known->second].second.push_back(row);
    }
    return parts;
}

// These rows of the table alone, without its first columns.
Measurement part_of(const Measurement& m, const std::vector<std::size_t>& rows, std::size_t columns) {
    const auto first = static_cast<std::ptrdiff_t>(columns);
    Measurement part = m;
    part.columns.erase(part.columns.begin(), part.columns.begin() + first);
    part.rows.clear();
    part.row_places.clear();
    for (const std::size_t row : rows) {
        part.rows.emplace_back(m.rows[row].begin() + first, m.rows[row].end());
        part.row_places.push_back(m.row_places[row]);
    }
    return part;
}

}  // namespace

std::string_view text(const MeasurementSection& section, std::string_view key) {
    const auto found = section.find(key);
    return found == section.end() ? std::string_view{} : std::string_view{found->second.text};
}

const SourceLocation& place_of(const MeasurementSection& section, std::string_view key,
                               const SourceLocation& otherwise) {
    const auto found = section.find(key);
    return found == section.end() ? otherwise : found->second.place;
}

std::vector<std::string> keys_of_section(std::string_view section) {
    return names_in(schema_keys().at(std::string(section)).at("properties"));
}

Measurement parse_measurement(std::string_view yaml, const std::string& file) {
    const yaml::Node root = of_known_version(yaml::parse(yaml, file));
    if (!root.is_map()) {
        root.fail("a measurement file is a map", "id, source, kind, system, software, benchmark, columns, rows");
    }
    root.allow(names_in(schema_keys()));
    Measurement result;
    result.file = file;
    result.place = root.place;
    result.id = root.required("id").as_string();
    result.kind = root.required("kind").as_string();
    result.notes = member_text(root, "notes");
    result.confidence = member_text(root, "confidence");
    root.required("source");
    root.required("system");
    result.source = section(root, "source");
    result.system = section(root, "system");
    result.software = section(root, "software");
    result.benchmark = section(root, "benchmark");
    read_table(root, result);
    return result;
}

Measurement read_measurement(const std::filesystem::path& path) {
    return parse_measurement(read_text(path, yaml::max_file_bytes), path.string());
}

std::string to_yaml(const Measurement& m) {
    std::string text = fmt::format("id: {}\n{}kind: {}\n{}{}{}", quoted(m.id), section_text("source", m.source),
                                   quoted(m.kind), section_text("system", m.system),
                                   section_text("software", m.software), section_text("benchmark", m.benchmark));
    text += m.notes.empty() ? "" : "notes: " + quoted(m.notes) + "\n";
    text += "columns: " + list_text(m.columns, quoted) + "\nrows:\n";
    for (const std::vector<std::string>& row : m.rows) { text += "  - " + list_text(row, cell) + "\n"; }
    text += m.confidence.empty() ? "" : "confidence: " + quoted(m.confidence) + "\n";
    return text;
}

bool has_series(const Measurement& m) {
    const std::size_t round = index_of(m, "round");
    return round > 0 && round < m.columns.size() && index_of(m, "size_bytes") == round + 1 &&
           index_of(m, "time_us") < m.columns.size();
}

std::vector<Measurement> split_series(const Measurement& m) {
    if (!has_series(m)) { return {m}; }
    const std::size_t round = index_of(m, "round"), time = index_of(m, "time_us");
    std::vector<Measurement> curves;
    for (const auto& [labels, rows] : rows_by_labels(m, round)) {
        std::map<double, std::vector<std::size_t>> by_size;  // one row per round
        for (const std::size_t row : rows) { by_size[figure_in(m.rows[row][round + 1])].push_back(row); }
        std::vector<std::size_t> medians;
        for (const auto& [size, of_size] : by_size) { medians.push_back(median_row(m, of_size, time)); }
        Measurement& curve = curves.emplace_back(part_of(m, medians, round + 1));
        for (std::size_t i = 0; i < labels.size(); ++i) {
            say(curve, m.columns[i], labels[i], curve.row_places.front());
            curve.id += labels[i].empty() ? "" : " " + labels[i];
        }
    }
    return curves;
}

std::vector<Measurement> split_counts(const Measurement& m) {
    const std::string_view first = m.columns.empty() ? "" : std::string_view(m.columns.front());
    const bool ranks = first == "n_gpus" || first == "gpus" || first == "ranks";
    if (!(ranks || first == "nodes") || m.columns.size() < 3 || m.columns[1] != "size_bytes") { return {m}; }
    std::vector<Measurement> parts;
    for (const auto& [count, rows] : rows_by_labels(m, 1)) {
        Measurement& part = parts.emplace_back(part_of(m, rows, 1));
        part.id += fmt::format("-{}{}", count.front(), ranks ? "g" : "n");
        MeasurementSection& section = ranks ? part.benchmark : part.system;
        section[ranks ? "ranks" : "nodes"] = {count.front(), part.row_places.front()};
    }
    return parts;
}

}  // namespace fabricast::inline validate_import
