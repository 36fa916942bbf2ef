#pragma once
// A published or measured result as its file states it: who measured, on what, with which software, and a table. Only
// the layout is interpreted here; `curve.hpp` reads the table, `derive.hpp` the statements.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.hpp"

namespace fabricast::inline validate_import {

// What a file states under one key; a list or map is flattened to text.
struct Statement {
    std::string text;
    SourceLocation place;
};

// A section of a file ("system", "software", ...) by key. Empty and null values are left out.
using MeasurementSection = std::map<std::string, Statement, std::less<>>;

struct Measurement {
    std::string file;  // as the user named it
    std::string id;
    std::string kind;  // "nccl", "p2p", "rdma"
    std::string notes;
    std::string confidence;
    SourceLocation place;  // of the file's beginning
    MeasurementSection source, system, software, benchmark;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;  // as wide as `columns`; an empty cell was null
    std::vector<SourceLocation> row_places;
};

// The value under `key`, or "".
std::string_view text(const MeasurementSection& section, std::string_view key);
// The place of that statement, or `otherwise`.
const SourceLocation& place_of(const MeasurementSection& section, std::string_view key,
                               const SourceLocation& otherwise);

// The keys of "system", "software" or "benchmark" that some code reads, as docs/schema/measurement.json names them.
std::vector<std::string> keys_of_section(std::string_view section);

// Throws InputError at the first thing that does not belong in a measurement file. docs/schema/measurement.json says
// which keys may stand at the top, and which inside sections some code reads; sections may contain others too.
Measurement parse_measurement(std::string_view yaml, const std::string& file);
Measurement read_measurement(const std::filesystem::path& path);

// The YAML that parse_measurement reads.
std::string to_yaml(const Measurement& measurement);

// Files in a folder `training` have their own form; the readers of link measurements skip them.
inline bool is_training_table(const std::filesystem::path& file) { return file.parent_path().filename() == "training"; }

// A probe's file contains many curves in one table: the columns before `round` are labels, and every round measured all
// curves. The other readers expect one measurement per curve.

// Whether the table has several curves, as probes write them.
bool has_series(const Measurement& measurement);

// One measurement per set of labels, in the order of the table. A label becomes a statement of `benchmark`
// ("collective"); the label `env` becomes one of `software`. The labels are appended to the id. For each size, the row
// with the (lower) median time over the rounds is kept. Any other table is returned unchanged.
std::vector<Measurement> split_series(const Measurement& measurement);

// One measurement per number of GPUs or nodes, where that is the column before the size: it becomes `benchmark.ranks`
// or `system.nodes`, and is appended to the id. Any other table is returned unchanged.
std::vector<Measurement> split_counts(const Measurement& measurement);

}  // namespace fabricast::inline validate_import
