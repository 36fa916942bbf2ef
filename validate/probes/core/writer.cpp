#include "core/writer.hpp"

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace probe {
namespace {

std::string section_text(const char* name, const Section& section) {
    std::string text = std::string(name) + ":\n";
    for (const Entry& entry : section) {
        text += "  " + entry.key + ": ";
        text += entry.text.empty() ? "null" : entry.plain ? entry.text : quoted(entry.text);
        text += "\n";
    }
    return text;
}

std::string rate_GBps(const Row& row) {
    const double median_us = row.time_us.median;
    return median_us > 0 ? figure(static_cast<double>(row.size_bytes) / median_us / 1e3) : "null";
}

std::string row_text(const Row& row) {
    std::string text = "  - [";
    for (const std::string& label : row.labels) { text += quoted(label) + ", "; }
    const Summary& t = row.time_us;
    text += std::to_string(row.round) + ", " + std::to_string(row.size_bytes) + ", " + std::to_string(row.iterations) +
            ", " + std::to_string(t.samples) + ", " + figure(t.median) + ", " + figure(t.min) + ", " +
            figure(t.quarter) + ", " + figure(t.three_quarters) + ", " + figure(t.max) + ", " + rate_GBps(row) + ", " +
            std::to_string(row.checked_bytes);
    for (const std::string& value : row.extra) { text += ", " + (value.empty() ? "null" : value); }
    return text + "]\n";
}

}  // namespace

Entry words(std::string key, std::string text) { return {std::move(key), std::move(text), false}; }

Entry count(std::string key, std::uint64_t value) { return {std::move(key), std::to_string(value), true}; }

Row row_of(std::vector<std::string> labels, int round, std::uint64_t size_bytes, const Samples& samples) {
    return {std::move(labels),     round, size_bytes, samples.iterations, summarize(samples.times_us),
            samples.checked_bytes, {}};
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result.append({'\\', c});
        } else if (byte < 0x20 || byte == 0x7F) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", byte);
            result += escape;
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string figure(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.7g", value);
    if (std::strchr(text, 'e') != nullptr) { std::snprintf(text, sizeof text, value < 1 ? "%.12f" : "%.0f", value); }
    return text;
}

std::string to_yaml(const MeasurementFile& file) {
    std::string text = "id: " + quoted(file.id) + "\n" + section_text("source", file.source) +
                       "kind: " + quoted(file.kind) + "\n" + section_text("system", file.system) +
                       section_text("software", file.software) + section_text("benchmark", file.benchmark);
    if (!file.notes.empty()) { text += "notes: " + quoted(file.notes) + "\n"; }
    text += "columns: [";
    for (const std::string& column : file.label_columns) { text += quoted(column) + ", "; }
    text +=
        "\"round\", \"size_bytes\", \"iterations\", \"samples\", \"time_us\", \"time_min_us\", \"time_q25_us\", "
        "\"time_q75_us\", \"time_max_us\", \"rate_GBps\", \"checked_bytes\"";
    for (const std::string& column : file.extra_columns) { text += ", " + quoted(column); }
    text += "]\nrows:";
    text += file.rows.empty() ? " []\n" : "\n";
    for (const Row& row : file.rows) {
        assert(row.labels.size() == file.label_columns.size() && row.extra.size() == file.extra_columns.size());
        text += row_text(row);
    }
    return text;
}

void write_whole(const std::string& path, const std::string& text) {
    const std::string partial = path + ".part";
    std::ofstream out(partial, std::ios::binary);
    out << text;
    out.close();
    if (!out || std::rename(partial.c_str(), path.c_str()) != 0) {
        const std::string why = std::strerror(errno);
        std::remove(partial.c_str());
        throw std::runtime_error(path + ": cannot be written: " + why);
    }
}

}  // namespace probe
