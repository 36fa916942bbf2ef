#pragma once
// Writes tables with named columns to a SQLite file. The file is either complete or absent.

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
    std::vector<std::vector<Json>> rows;  // numbers become INTEGER or REAL, texts TEXT, null NULL
};

bool has_sqlite();

// Writes a temporary file next to `path` and renames it. The same tables give the same dump. Throws IoError,
// MissingSqlite.
void write_sqlite(const std::filesystem::path& path, const std::vector<SqliteTable>& tables);

}  // namespace fabricast
