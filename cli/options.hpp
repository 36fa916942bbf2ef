#pragma once
// Boost.Program_options with our conventions: no abbreviated options, errors as UsageError. And what several commands
// read through options: the catalogue with the user's parts and overlays, and a scenario with its overrides.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/import/formats.hpp"

namespace fabricast::cli {

// Options that every command has: --color, --no-progress, --help.
const Options& common_options();
// --catalog DIR and --calibration FILE (repeatable).
Options catalog_options();
// The scenario, --set path=value (repeatable) and --engine, those of the catalogue, then the command's own.
Options scenario_options(const Options& own = {});
// One list after the other.
Options joined_options(std::initializer_list<Options> lists);
// The options as --help prints them.
std::string options_text(const Options& own);

// What the words after the command's name say. A positional option that is given by its name leaves its place to the
// next. Throws UsageError.
po::variables_map parse_options(const std::vector<std::string>& arguments, const Command& command);

// "usage: fabricast run SCENARIO [OPTION...]".
std::string usage_of(const Command& command);

// The values of a repeatable option; empty if it was not given.
std::vector<std::string> texts_of(const po::variables_map& values, const char* name);
// The value of an option; empty if it was not given.
std::string text_of(const po::variables_map& values, const char* name);

// What --set and --engine say, as read_scenario() takes it.
std::vector<std::string> overrides_of(const po::variables_map& values);
// The positional argument `scenario`, and what its file and the overrides say. Throws UsageError if there is none.
const std::string& scenario_file(const po::variables_map& values);
Scenario scenario_of(const po::variables_map& values);

// A whole number from `low` to `high`; `otherwise` if the option is not given. Throws UsageError.
int whole_of(const po::variables_map& values, const char* option, int otherwise, int low, int high);

// Whether a line may say how far the run is: neither --no-progress nor --quiet is given.
bool wants_progress(const po::variables_map& values);

// --threads; the number of cores if it is 0 or not given; 1 if an engine of `scenario` replays in forked children,
// because only a process with a single thread can safely fork and continue. Throws UsageError.
std::size_t threads_of(const po::variables_map& values, const Scenario* scenario = nullptr);

// --set SECTION.KEY=VALUE: facts that a log does not contain. Throws UsageError.
Statements statements_of(const po::variables_map& values);

// The built-in catalogue, then --catalog, then the scenario's calibration, then --calibration files.
Catalog catalog_of(const po::variables_map& values, const Scenario* scenario = nullptr);

// Those of the command, then those of every command; without its positional arguments.
Options named_options(const Command& command);

}  // namespace fabricast::cli
