// Built instead of sqlite.cpp if the build found no SQLite.

#include "base/sqlite.hpp"

namespace fabricast::inline base {

bool has_sqlite() { return false; }

void write_sqlite(const std::filesystem::path& path, const std::vector<SqliteTable>&) {
    throw MissingSqlite(path.string() + ": this build has no SQLite (accepted: a name that ends in .csv)");
}

}  // namespace fabricast::inline base
