#pragma once
// The result of a sweep as one table: the keys that vary, then the figures, then why a point failed. Points are in the
// order of the sweep; a point has a row for each message size, or for each cluster size of a training step.

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace fabricast {

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

// The names of the table's columns: "point", the varied keys, the figures, "error".
std::vector<std::string> columns_of(const SweepResult& result);

// The cells of a row under those columns; null where the row has no value.
std::vector<Json> cells_of(const SweepRow& row);

// The table as CSV (RFC 4180), with a header.
std::string sweep_csv(const SweepResult& result);

// The number of points that failed.
std::size_t failed_points(const SweepResult& result);

}  // namespace fabricast
