#pragma once
// Where a sweep keeps its result and its journals.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "sim/run/sweep/sweep.hpp"

namespace fabricast {

// One of several jobs that share a sweep: it runs the distinct points whose position is `index` modulo `count`.
struct Shard {
    std::size_t index = 0, count = 1;
};

// "results.csv.journal", or "results.csv.journal.3-of-8" for the third shard.
std::filesystem::path journal_path(const std::filesystem::path& out, const std::optional<Shard>& shard = {});

// The shard journals in the folder of the result, sorted by name.
std::vector<std::filesystem::path> shard_journals(const std::filesystem::path& out);

// The kind of file that the extension asks for; none if it is neither CSV nor SQLite.
enum class ResultKind : std::uint8_t { csv, sqlite };
std::optional<ResultKind> result_kind(const std::filesystem::path& out);

// Writes the whole file or none. Equal results give equal bytes (SQLite: equal dumps). Throws IoError, MissingSqlite.
void write_result(const std::filesystem::path& out, const SweepResult& result);

}  // namespace fabricast
