#include "validate/import/measurement_writer.hpp"

#include "base/json.hpp"
#include "validate/import/log_text.hpp"

namespace fabricast {
namespace {

// Strings quoted as in JSON are valid YAML; a plain number stays unquoted.
std::string quoted(const std::string& words) { return Json(words).dump(); }
std::string cell(const std::string& words) { return words.empty() ? "null" : is_figure(words) ? words : quoted(words); }

std::string section_text(const char* name, const MeasurementSection& section) {
    if (section.empty()) {
        return std::string(name) + ": {}\n";
    }
    std::string text = std::string(name) + ":\n";
    for (const auto& [key, statement] : section) {
        text += "  " + key + ": " + (is_count(statement.text) ? statement.text : quoted(statement.text)) + "\n";
    }
    return text;
}

}  // namespace

std::string to_yaml(const Measurement& m) {
    std::string text = "id: " + quoted(m.id) + "\n" + section_text("source", m.source) + "kind: " + quoted(m.kind) +
                       "\n" + section_text("system", m.system) + section_text("software", m.software) +
                       section_text("benchmark", m.benchmark);
    text += m.notes.empty() ? "" : "notes: " + quoted(m.notes) + "\n";
    text += "columns: [";
    for (std::size_t i = 0; i < m.columns.size(); ++i) {
        text += (i == 0 ? "" : ", ") + quoted(m.columns[i]);
    }
    text += "]\nrows:\n";
    for (const std::vector<std::string>& row : m.rows) {
        text += "  - [";
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += (i == 0 ? "" : ", ") + cell(row[i]);
        }
        text += "]\n";
    }
    text += m.confidence.empty() ? "" : "confidence: " + quoted(m.confidence) + "\n";
    return text;
}

}  // namespace fabricast
