#pragma once
// Input that several commands share: the catalogue with the user's parts and overlays, and a scenario with its
// overrides.

#include <cstddef>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/import/formats.hpp"

namespace fabricast::cli {

// Adds --catalog DIR and --calibration FILE (repeatable).
void add_catalog_options(po::options_description& options);
// Adds --set path=value (repeatable) and --engine.
void add_scenario_options(po::options_description& options);

// What --set and --engine say, as read_scenario() takes it.
std::vector<std::string> overrides_of(const po::variables_map& values);
// The positional argument `scenario`, and what its file and the overrides say. Throws UsageError if there is none.
const std::string& scenario_file(const po::variables_map& values);
Scenario scenario_of(const po::variables_map& values);

// A whole number from `low` to `high`; `otherwise` if the option is not given. Throws UsageError.
int whole_of(const po::variables_map& values, const char* option, int otherwise, int low, int high);

// --threads; the number of cores if it is 0 or not given; 1 if an engine of `scenario` replays in forked children,
// because only a process with a single thread can safely fork and continue. Throws UsageError.
std::size_t threads_of(const po::variables_map& values, const Scenario* scenario = nullptr);

// --set SECTION.KEY=VALUE: facts that a log does not contain. Throws UsageError.
Statements statements_of(const po::variables_map& values);

// The built-in catalogue, then --catalog, then the scenario's calibration, then --calibration files.
Catalog catalog_of(const po::variables_map& values, const Scenario* scenario = nullptr);

}  // namespace fabricast::cli
