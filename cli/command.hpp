#pragma once
// A subcommand is one `Command` in one file, and a row in commands.cpp. What it takes is data: the parser, --help, the
// manual and the shells' completions all read the same options.

#include <array>
#include <atomic>
#include <boost/program_options.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

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

}  // namespace fabricast::cli
