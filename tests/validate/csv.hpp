#pragma once
// Reads the CSV text that programs write (RFC 4180 without line breaks inside cells).

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

using CsvRow = std::map<std::string, std::string>;  // by column

inline std::vector<std::string> csv_cells(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += line[++i];
        } else if (line[i] == '"') {
            quoted = !quoted;
        } else if (line[i] == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += line[i];
        }
    }
    return cells;
}

inline std::vector<CsvRow> read_csv(std::string_view csv) {
    std::vector<CsvRow> rows;
    std::vector<std::string> names;
    while (!csv.empty()) {
        const std::string_view line = csv.substr(0, csv.find('\n'));
        csv.remove_prefix(std::min(csv.size(), line.size() + 1));
        const std::vector<std::string> cells = csv_cells(line);
        if (names.empty()) {
            names = cells;
            continue;
        }
        CsvRow& row = rows.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) { row[names[i]] = cells.at(i); }
    }
    return rows;
}

}  // namespace fabricast
