#pragma once
// What the commands read alike: the catalogue with what the user lays over it, and a scenario with its overrides.

#include <cstddef>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/import/formats.hpp"

namespace fabricast::cli {

// Adds --catalog DIR and --calibration FILE (both repeatable).
void add_catalog_options(po::options_description& options);
// Adds --set path=value (repeatable) and --engine.
void add_scenario_options(po::options_description& options);

// The scenario of the positional argument `scenario`. Throws UsageError when there is none.
Scenario scenario_of(const po::variables_map& values);

// A whole number between two bounds, `otherwise` where the option is not given. Throws UsageError.
int whole_of(const po::variables_map& values, const char* option, int otherwise, int low, int high);

// --threads, every core where that is 0 or not given; one where an engine of `scenario` replays in forked children,
// since only a process with one thread may fork and go on. Throws UsageError.
std::size_t threads_of(const po::variables_map& values, const Scenario* scenario = nullptr);

// --set SECTION.KEY=VALUE: what a log does not say. Throws UsageError.
Statements statements_of(const po::variables_map& values);

// The built-in catalogue, then --catalog, then the scenario's calibration, then --calibration files.
Catalog catalog_of(const po::variables_map& values, const Scenario* scenario = nullptr);

}  // namespace fabricast::cli
