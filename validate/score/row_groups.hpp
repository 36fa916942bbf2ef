#pragma once
// Rows by table, in one line of a CSV file each: what docs/ keeps, beside which a command writes every row to build/.

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "validate/score/errors.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline score {

using RowGroup = std::vector<ComparedRow>;  // at least one

// Rows with the same key are a group; groups are in the order of their keys.
template <class Key> std::vector<RowGroup> row_groups(const std::vector<ComparedRow>& rows, const Key& key) {
    std::map<decltype(key(rows.front())), RowGroup> groups;
    for (const ComparedRow& row : rows) { groups[key(row)].push_back(row); }
    std::vector<RowGroup> list;
    for (auto& [unused, group] : groups) { list.push_back(std::move(group)); }
    return list;
}

// Seven digits: smaller differences do not show in any figure.
inline std::string seven_digits(double value) { return fmt::format("{:.7g}", value); }

// The number of rows with a forecast, excluded ones too.
inline std::string rows_cell(const RowGroup& group) {
    return fmt::format("{}", errors_of(group, {.everything = true}).rows);
}

// "no" if every row is excluded.
inline std::string counted_cell(const RowGroup& group) { return errors_of(group, {}).rows > 0 ? "yes" : "no"; }

// The median error in %, of excluded rows too; empty if there is no such forecast.
template <Forecast which> std::string median_cell(const RowGroup& group) {
    const ErrorSummary errors = errors_of(group, {.which = which, .everything = true});
    return errors.rows == 0 ? "" : fmt::format("{:.3f}", 100 * errors.median);
}

// A hash of what was measured and of these forecasts, which changes with the seventh digit of any.
template <Forecast... which> std::string hash_cell(const RowGroup& group) {
    std::uint64_t hash = fnv1a("");
    for (const ComparedRow& row : group) {
        hash = fnv1a(fmt::format("{} {} {}", row.size.count, row.used(), seven_digits(row.measured)), hash);
        ((hash = fnv1a(" " + seven_digits(row[which]), hash)), ...);
    }
    return fmt::format("{:08x}", static_cast<std::uint32_t>(hash ^ (hash >> 32U)));
}

}  // namespace fabricast::inline score
