#pragma once
// A subcommand is one `Command` in one file, and a row in commands.cpp. What it takes is data: the parser, --help, the
// manual and the shells' completions all read the same options.

#include <array>
#include <atomic>
#include <boost/program_options.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/import/formats.hpp"

namespace fabricast::cli {

using enum ExitCode;
namespace po = boost::program_options;

// The command line itself is wrong (exit code 2).
struct UsageError : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// It lacks something; main() adds how the command is used.
struct MissingArgument : UsageError {
    using UsageError::UsageError;
};

// An argument without a name is the value of this option; `most` of them are, or any number if it is -1.
struct Positional {
    const char* option = nullptr;
    int most = 0;
};

// What follows an option: nothing, a text, a text each time that the option is given, several words, or a whole number.
enum class Takes : std::uint8_t { nothing, text, texts, words, whole };

struct OptionValue {
    Takes takes = Takes::nothing;
    std::string name = {};  // stands for the value in --help: "FILE"
};
inline OptionValue text_value(const char* name) { return {Takes::text, name}; }
inline OptionValue texts_value(const char* name) { return {Takes::texts, name}; }
inline OptionValue words_value(const char* name) { return {Takes::words, name}; }
inline OptionValue whole_value(const char* name) { return {Takes::whole, name}; }

struct Option {
    std::string name;  // without its dashes
    OptionValue value;
    std::string about;
    std::string key = {};  // the letter of its short form; may be empty

    bool takes_file() const;
    std::vector<std::string> words() const;  // the values that it accepts, where they are few
};
using Options = std::vector<Option>;

struct Command {
    std::string_view name;
    std::string_view summary;    // one line of --help
    std::string_view arguments;  // what follows the name, for people: "SCENARIO [OPTION...]"
    Options options;
    std::array<Positional, 2> positional;
    ExitCode (*run)(const po::variables_map& values);  // may throw
};

extern const Command calibrate_command, catalog_command, cluster_command, compare_command, completion_command,
    diagnose_command, doctor_command, explain_command, help_command, import_command, place_command, plan_command,
    run_command, study_command, sweep_command, topo_command;

// All of them, in the order of --help.
std::span<const Command* const> commands();
// Throws UsageError with the nearest name.
const Command& command_named(const std::string& name);

// Set by the first Ctrl-C; a second one ends the program at once.
const std::atomic<bool>& stop_flag();

// Boost.Program_options with our conventions: no abbreviated options, errors as UsageError. And what several commands
// read through options: the catalogue with the user's parts and overlays, and a scenario with its overrides.

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

// Parses the words after the command's name. A positional option that is given by its name leaves its place to the
// next. Throws UsageError.
po::variables_map parse_options(const std::vector<std::string>& arguments, const Command& command);

// "usage: fabricast run SCENARIO [OPTION...]".
std::string usage_of(const Command& command);

// The values of a repeatable option; empty if it was not given.
std::vector<std::string> texts_of(const po::variables_map& values, const char* name);
// The value of an option; empty if it was not given.
std::string text_of(const po::variables_map& values, const char* name);

// The overrides that --set and --engine ask for, as read_scenario() takes them.
std::vector<std::string> overrides_of(const po::variables_map& values);
// The positional argument `scenario`, and what its file and the overrides say. Throws UsageError if there is none.
const std::string& scenario_file(const po::variables_map& values);
Scenario scenario_of(const po::variables_map& values);

// A whole number from `low` to `high`; `otherwise` if the option is not given. Throws UsageError.
int whole_of(const po::variables_map& values, const char* option, int otherwise, int low, int high);

// The index of `asked` among `words`. Throws UsageError with the message `unknown` and the nearest word.
std::size_t index_among(const std::vector<std::string>& words, const std::string& asked, const std::string& unknown);

// Whether a line may say how far the run is: neither --no-progress nor --quiet is given.
bool wants_progress(const po::variables_map& values);

// --threads; the number of cores if it is 0 or not given; 1 if an engine of `scenario` replays in forked children,
// because only a process with a single thread can safely fork and continue. Throws UsageError.
std::size_t threads_of(const po::variables_map& values, const Scenario* scenario = nullptr);

// --set SECTION.KEY=VALUE: facts that a log does not contain. Throws UsageError.
Statements statements_of(const po::variables_map& values);

// The built-in catalogue, then --catalog, then the scenario's calibration, then --calibration files.
Catalog catalog_of(const po::variables_map& values, const Scenario* scenario = nullptr);

// The command's own options without the positional ones, then those that every command has.
Options named_options(const Command& command);

// What the program says about itself (help.cpp), on the terminal and as pages for man(1).
std::string program_help();
std::string command_help(const Command& command);

// What no single command explains: `fabricast help exit-codes`.
struct Topic {
    std::string_view name;
    std::string_view summary;
    std::string (*made)() = nullptr;  // else the text is that of topics/NAME.txt
};
std::span<const Topic> topics();

}  // namespace fabricast::cli
