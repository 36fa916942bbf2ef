#include "sim/run/sweep/files.hpp"

#include <algorithm>

#include "base/sqlite.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast {

namespace {

namespace fs = std::filesystem;

SqliteTable sqlite_table(const SweepResult& result) {
    SqliteTable table{"sweep", columns_of(result), {}};
    for (const SweepRow& row : result.rows) {
        table.rows.push_back(cells_of(row));
    }
    return table;
}

}  // namespace

fs::path journal_path(const fs::path& out, const std::optional<Shard>& shard) {
    const std::string part =
        shard ? "." + std::to_string(shard->index + 1) + "-of-" + std::to_string(shard->count) : "";
    return out.string() + ".journal" + part;
}

std::vector<fs::path> shard_journals(const fs::path& out) {
    const fs::path folder = out.has_parent_path() ? out.parent_path() : ".";
    const std::string start = out.filename().string() + ".journal.";
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(start) && name.find("-of-", start.size()) != std::string::npos) {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::optional<ResultKind> result_kind(const fs::path& out) {
    const std::string ending = lower_case(out.extension().string());
    if (ending == ".csv") {
        return ResultKind::csv;
    }
    const bool sqlite = ending == ".sqlite" || ending == ".sqlite3" || ending == ".db";
    return sqlite ? std::optional(ResultKind::sqlite) : std::nullopt;
}

void write_result(const fs::path& out, const SweepResult& result) {
    if (result_kind(out) == ResultKind::sqlite) {
        const SqliteTable about{"about",
                                {"name", "value"},
                                {{"scenario", result.scenario}, {"program", "fabricast"}, {"version", version()}}};
        write_sqlite(out, {about, sqlite_table(result)});
    } else {
        write_atomically(out, sweep_csv(result));
    }
}

}  // namespace fabricast
