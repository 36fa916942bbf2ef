#pragma once
// Writes tables with named columns to a SQLite file. The file is either complete or absent.

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"

namespace fabricast::inline base {

// This build lacks SQLite (exit code 4).
struct MissingSqlite : ErrorWith<ExitCode::missing_here> {
    using ErrorWith::ErrorWith;
};

struct SqliteTable {
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::vector<Json>> rows;  // numbers become INTEGER or REAL, texts TEXT, null NULL
};

bool has_sqlite();

// Writes a file next to `path` and renames it. The same tables give the same dump. Throws IoError, MissingSqlite.
void write_sqlite(const std::filesystem::path& path, const std::vector<SqliteTable>& tables);

}  // namespace fabricast::inline base
