#pragma once
// Published training tables (validate/measurements/training): each row becomes a scenario through the same parser that
// a user's file goes through. How, stands in the file itself: `forecast:` for what the table states and `assumed:` for
// what it does not.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// `path=value` for the rows whose cells match.
struct TableCase {
    std::map<std::string, std::vector<std::string>> when;  // column -> texts, any of them; `*` stands for any letters
    std::vector<std::string> set;
    std::string because;  // of an exclusion
};

enum class TableScaling : std::uint8_t { none, weak, strong, proxy, model };

struct TrainingTable {
    std::string id, family;
    std::string excluded;  // why no row counts; empty: they do
    TableScaling scaling = TableScaling::none;
    std::vector<std::string> series;     // columns: rows alike in these are one scaling series
    std::string step_column, step_unit;  // "" seconds, "tokens", "all-tokens", "hardware-tflops"
    double step_scale = 1;
    std::map<std::string, std::string> columns;  // column -> key
    std::vector<std::string> set, assumed;
    std::vector<TableCase> cases, assumed_cases, exclusions;
    std::vector<std::map<std::string, std::string>> rows;  // column -> text; "null" as the file has it
};

// `how`: the key of the rules that make scenarios of its rows. Throws InputError at what is wrong.
TrainingTable read_training_table(const std::filesystem::path& file, std::string_view how = "forecast");

// Every table of the folder that has the key, by name.
std::vector<TrainingTable> read_training_tables(const std::filesystem::path& folder, std::string_view how = "forecast");

struct DerivedStep {
    Scenario scenario;
    std::vector<std::string> assumptions;  // settings that the table does not state
};

// Throws InputError where a row makes no scenario.
DerivedStep derive_step(const TrainingTable& table, std::size_t row, const Catalog& catalog);

// Why the row does not count; empty: it does.
std::string exclusion(const TrainingTable& table, std::size_t row);

// Seconds of the row's step as measured; a throughput is turned into them by the batch that `forecast` ran.
std::optional<double> measured_step(const TrainingTable& table, std::size_t row, const StepRow& forecast);

// Whether `text` is like `pattern`, in which `*` stands for any letters.
bool like(std::string_view text, std::string_view pattern);

}  // namespace fabricast
