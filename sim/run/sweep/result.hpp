#pragma once
// The result of a sweep as one table: the keys that vary, then the figures, then why a point failed. Points are in the
// order of the sweep; a point has a row for each message size, or for each cluster size of a training step.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/columns.hpp"

namespace fabricast::inline sweep {

struct SweepRow {
    std::size_t point = 0;            // from 0, in the order of the sweep
    std::vector<std::string> varied;  // as written in the sweep, one for each of SweepResult::varied
    std::vector<Json> figures;        // one for each of SweepResult::figures; null: this row has none
    std::string error;                // why the point failed; empty if it did not
};

struct SweepResult {
    std::string scenario;
    std::vector<std::string> varied;   // dotted paths of scenario keys: "cluster.nodes"
    std::vector<std::string> figures;  // "step_time_s": names and SI units of the results' JSON
    std::vector<SweepRow> rows;
};

// The table: "point", the varied keys, the figures, "error"; null where a row has no value.
Records records_of(const SweepResult& result);

// The table on the terminal: what varies and the figures that a planner looks at first.
std::string sweep_table(const SweepResult& result);

// The unit that the name of a figure ends in.
html::Unit unit_of(const std::string& figure);

// "nodes" for "cluster.nodes" if no other path ends in it.
std::string short_name(const std::string& path, const std::vector<std::string>& all);

// The number of points that failed.
std::size_t failed_points(const SweepResult& result);

// The kind of file that the extension asks for; none if it is neither CSV, TSV nor SQLite.
enum class ResultKind : std::uint8_t { csv, tsv, sqlite };
std::optional<ResultKind> result_kind(const std::filesystem::path& out);

// Writes the whole file or none. Equal results give equal bytes (SQLite: equal dumps). Throws IoError, MissingSqlite.
void write_result(const std::filesystem::path& out, const SweepResult& result);

}  // namespace fabricast::inline sweep
