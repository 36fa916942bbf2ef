#pragma once
// Where a sweep keeps its result and its journals.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "sim/run/sweep/sweep.hpp"

namespace fabricast {

// One of several jobs that share a sweep: the points whose place among the distinct ones is `index` modulo `count`.
struct Shard {
    std::size_t index = 0, count = 1;
};

// "results.csv.journal", or "results.csv.journal.3-of-8" for the third shard.
std::filesystem::path journal_path(const std::filesystem::path& out, const std::optional<Shard>& shard = {});

// Every journal of shards that lies beside the result, in the order of their names.
std::vector<std::filesystem::path> shard_journals(const std::filesystem::path& out);

// Whether the name asks for CSV or SQLite; nothing where it asks for neither.
enum class ResultKind : std::uint8_t { csv, sqlite };
std::optional<ResultKind> result_kind(const std::filesystem::path& out);

// Whole or absent, the same bytes (SQLite: the same dump) for the same result. Throws IoError, MissingSqlite.
void write_result(const std::filesystem::path& out, const SweepResult& result);

}  // namespace fabricast
