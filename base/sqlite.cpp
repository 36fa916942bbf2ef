#include "base/sqlite.hpp"

#include <sqlite3.h>

#include <memory>

#include "base/text.hpp"
#include "base/text_file.hpp"

namespace fabricast::inline base {

namespace {

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

// Errors carry SQLite's message; the caller adds the file name.
void check(int code, sqlite3* database) {
    if (code != SQLITE_OK && code != SQLITE_DONE) { throw IoError(sqlite3_errmsg(database)); }
}

Statement prepared(sqlite3* database, const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr), database);
    return Statement(statement);
}

void execute(sqlite3* database, const std::string& sql) {
    check(sqlite3_step(prepared(database, sql).get()), database);
}

void bind(sqlite3* database, sqlite3_stmt* statement, int at, const Json& cell) {
    if (cell.is_null()) {
        check(sqlite3_bind_null(statement, at), database);
    } else if (cell.is_number_float()) {
        check(sqlite3_bind_double(statement, at, cell.get<double>()), database);
    } else if (cell.is_number() || cell.is_boolean()) {
        check(sqlite3_bind_int64(statement, at, cell.get<sqlite3_int64>()), database);
    } else {
        const std::string text = cell.is_string() ? cell.get<std::string>() : cell.dump();
        check(sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT), database);
    }
}

void write_table(sqlite3* database, const SqliteTable& table) {
    std::string columns, places;
    for (const std::string& column : table.columns) {
        columns += (columns.empty() ? "" : ", ") + doubly_quoted(column);
        places += places.empty() ? "?" : ", ?";
    }
    execute(database, "CREATE TABLE " + doubly_quoted(table.name) + " (" + columns + ")");
    const Statement insert =
        prepared(database, "INSERT INTO " + doubly_quoted(table.name) + " VALUES (" + places + ")");
    for (const std::vector<Json>& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) { bind(database, insert.get(), static_cast<int>(i) + 1, row[i]); }
        check(sqlite3_step(insert.get()), database);
        check(sqlite3_reset(insert.get()), database);
    }
}

void write_file(const std::filesystem::path& path, const std::vector<SqliteTable>& tables) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
    const Database database(opened);
    check(code, opened);
    execute(opened, "BEGIN");
    for (const SqliteTable& table : tables) { write_table(opened, table); }
    execute(opened, "COMMIT");
}

}  // namespace

bool has_sqlite() { return true; }

void write_sqlite(const std::filesystem::path& path, const std::vector<SqliteTable>& tables) {
    NewFile file(path);
    try {
        write_file(file.temporary(), tables);
    } catch (const IoError& failure) { throw IoError(path.string() + ": cannot be written (" + failure.what() + ")"); }
    file.publish();
}

}  // namespace fabricast::inline base
