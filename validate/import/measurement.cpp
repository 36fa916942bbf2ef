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

// The keys that the schema names.
const std::vector<std::string>& top_keys() {
    static const std::vector<std::string> keys = [] {
        const EmbeddedFile& schema = embedded_file(embedded_tables(), "docs/schema/measurement.json");
        std::vector<std::string> names;
        const Json properties = parse_json(schema.text, std::string(schema.name)).at("properties");
        for (const auto& [key, unused] : properties.items()) { names.push_back(key); }
        return names;
    }();
    return keys;
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

// The rows of one curve by size; a size has one row per round.
using BySize = std::map<double, std::vector<std::size_t>>;

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

Measurement curve_of(const Measurement& m, const Labels& labels, const BySize& sizes) {
    const std::size_t first = labels.size() + 1;  // the first column after `round`
    const std::size_t time = index_of(m, "time_us");
    Measurement curve = m;
    curve.rows.clear();
    curve.row_places.clear();
    curve.columns.assign(m.columns.begin() + static_cast<std::ptrdiff_t>(first), m.columns.end());
    for (const auto& [size, rows] : sizes) {
        const std::size_t row = median_row(m, rows, time);
        curve.rows.emplace_back(m.rows[row].begin() + static_cast<std::ptrdiff_t>(first), m.rows[row].end());
        curve.row_places.push_back(m.row_places[row]);
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        say(curve, m.columns[i], labels[i], curve.row_places.front());
        curve.id += labels[i].empty() ? "" : " " + labels[i];
    }
    return curve;
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

Measurement parse_measurement(std::string_view yaml, const std::string& file) {
    const yaml::Node root = of_known_version(yaml::parse(yaml, file));
    if (!root.is_map()) {
        root.fail("a measurement file is a map", "id, source, kind, system, software, benchmark, columns, rows");
    }
    root.allow(top_keys());
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
    const std::size_t round = index_of(m, "round");
    std::vector<Labels> order;
    std::map<Labels, BySize> curves;
    for (std::size_t row = 0; row < m.rows.size(); ++row) {
        const Labels labels(m.rows[row].begin(), m.rows[row].begin() + static_cast<std::ptrdiff_t>(round));
        const auto [curve, is_new] = curves.try_emplace(labels);
        if (is_new) { order.push_back(labels); }
        curve->second[figure_in(m.rows[row][round + 1])].push_back(row);
    }
    std::vector<Measurement> parts;
    parts.reserve(order.size());
    for (const Labels& labels : order) { parts.push_back(curve_of(m, labels, curves.at(labels))); }
    return parts;
}

std::vector<Measurement> split_counts(const Measurement& m) {
    const std::string_view first = m.columns.empty() ? "" : std::string_view(m.columns.front());
    const bool ranks = first == "n_gpus" || first == "gpus" || first == "ranks";
    if (!(ranks || first == "nodes") || m.columns.size() < 3 || m.columns[1] != "size_bytes") { return {m}; }
    std::vector<std::string> order;
    std::map<std::string, Measurement> parts;
    for (std::size_t row = 0; row < m.rows.size(); ++row) {
        const std::string& count = m.rows[row].front();
        const auto [part, is_new] = parts.try_emplace(count, m);
        if (is_new) {
            order.push_back(count);
            part->second.id += fmt::format("-{}{}", count, ranks ? "g" : "n");
            part->second.columns.erase(part->second.columns.begin());
            part->second.rows.clear();
            part->second.row_places.clear();
            MeasurementSection& section = ranks ? part->second.benchmark : part->second.system;
            section[ranks ? "ranks" : "nodes"] = {count, m.row_places[row]};
        }
        part->second.rows.emplace_back(m.rows[row].begin() + 1, m.rows[row].end());
        part->second.row_places.push_back(m.row_places[row]);
    }
    std::vector<Measurement> all;
    all.reserve(order.size());
    for (const std::string& count : order) { all.push_back(std::move(parts.at(count))); }
    return all;
}

}  // namespace fabricast::inline validate_import
