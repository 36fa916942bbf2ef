#pragma once
// Boost.Program_options with our conventions: no abbreviated options, errors as UsageError, --help handled in one
// place. And what several commands read through options: the catalogue with the user's parts and overlays, and a
// scenario with its overrides.

#include <boost/program_options.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/import/formats.hpp"

namespace fabricast::cli {

namespace po = boost::program_options;

// The value of an option; `name` stands for it in --help.
inline auto* text_value(const char* name) { return po::value<std::string>()->value_name(name); }
inline auto* texts_value(const char* name) { return po::value<std::vector<std::string>>()->value_name(name); }
inline auto* whole_value(const char* name) { return po::value<int>()->value_name(name); }

// An argument without a name is the value of this option; `most` of them are, or any number if it is -1.
struct Positional {
    const char* option;
    int most;
};

// Parses `arguments`; nullopt if --help was given, which has then been printed. `usage` is the line under "usage:".
// Throws UsageError.
std::optional<po::variables_map> parse_options(const std::vector<std::string>& arguments, const std::string& usage,
                                               const po::options_description& options,
                                               const std::vector<Positional>& positional);

// The error of a command line that lacks something: `what`, and how the command is used.
UsageError usage_error(const std::string& what, const std::string& usage);

// The values of a repeatable option; empty if it was not given.
std::vector<std::string> texts_of(const po::variables_map& values, const char* name);
// The value of an option; empty if it was not given.
std::string text_of(const po::variables_map& values, const char* name);

// Adds --catalog DIR and --calibration FILE (repeatable).
void add_catalog_options(po::options_description& options);
// Adds --set path=value (repeatable) and --engine, then those of the catalogue.
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
