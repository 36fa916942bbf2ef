#pragma once
// Published training tables (validate/measurements/training). Each row becomes a scenario, read by the same parser as a
// user's file. The file itself has the rules: `forecast:` for what the table states, `assumed:` for what it does not.

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_name.hpp"
#include "models/catalog.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline validate_training {

using Cells = std::map<std::string, std::string>;  // column -> text; "null" if the file says so

// Settings (`path=value`) for the rows whose cells match.
struct TableCase {
    std::map<std::string, std::vector<std::string>> when;  // column -> texts, any may match; `*` is any text
    std::vector<std::string> set;
    std::string because;  // reason, for an exclusion
};

enum class TableScaling : std::uint8_t { none, weak, strong, proxy, model };
inline constexpr std::array<std::string_view, 5> scaling_names = {"none", "weak", "strong", "proxy", "model"};
inline std::string_view to_string(TableScaling scaling) { return enum_name(scaling_names, scaling); }

struct TrainingTable {
    std::string id, family;
    std::string excluded;  // why no row counts; empty: rows count
    TableScaling scaling = TableScaling::none;
    std::vector<std::string> series;     // columns: rows with equal cells in these form one scaling series
    std::string step_column, step_unit;  // "" seconds, "tokens", "all-tokens", "samples", "hardware-tflops"
    double step_scale = 1;
    std::map<std::string, std::string> columns;  // column -> key
    std::vector<std::string> set, assumed;
    std::vector<TableCase> cases, assumed_cases, exclusions;
    std::vector<Cells> rows;
};

// Every table of the folder, ordered by name, that has the key `how`: the rules that turn rows into scenarios. Throws
// InputError at the first mistake in a file.
std::vector<TrainingTable> read_training_tables(const std::filesystem::path& folder, std::string_view how = "forecast");

struct DerivedStep {
    Scenario scenario;
    std::vector<std::string> assumptions;  // settings that the table does not state
};

// Throws InputError if the row does not make a valid scenario.
DerivedStep derive_step(const TrainingTable& table, std::size_t row, const Catalog& catalog);

// Why the row does not count; empty: it does.
std::string exclusion(const TrainingTable& table, std::size_t row);

// The measured step time of the row in seconds. A throughput is converted with the batch size of `forecast`.
std::optional<double> measured_step(const TrainingTable& table, std::size_t row, const StepRow& forecast);

}  // namespace fabricast::inline validate_training
