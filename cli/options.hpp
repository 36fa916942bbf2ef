#pragma once
// Boost.Program_options with our conventions: no abbreviated options, errors as UsageError, --help handled in one
// place.

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"

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

}  // namespace fabricast::cli
