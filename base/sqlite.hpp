#pragma once
// The one door to SQLite: a file with tables of named columns, whole or absent.

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace fabricast {

// This build lacks SQLite (exit code 4).
struct MissingSqlite : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct SqliteTable {
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::vector<Json>> rows;  // numbers as INTEGER or REAL, texts as TEXT, null as NULL
};

bool has_sqlite();

// Writes beside `path` and renames. The same tables give the same dump. Throws IoError, MissingSqlite.
void write_sqlite(const std::filesystem::path& path, const std::vector<SqliteTable>& tables);

}  // namespace fabricast
