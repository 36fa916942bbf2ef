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

// Parses `arguments`; nullopt if --help was given, which has then been printed. `usage` is the line under "usage:".
// Throws UsageError.
std::optional<po::variables_map> parse_options(const std::vector<std::string>& arguments, const std::string& usage,
                                               const po::options_description& options,
                                               const po::positional_options_description& positional);

// The values of a repeatable option; empty if it was not given.
std::vector<std::string> texts_of(const po::variables_map& values, const char* name);
// The value of an option; empty if it was not given.
std::string text_of(const po::variables_map& values, const char* name);

}  // namespace fabricast::cli
