#pragma once
// A subcommand is one function in one file, and a row in main.cpp's table of subcommands.

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fabricast::cli {

using enum ExitCode;

// The command line itself is wrong (exit code 2).
struct UsageError : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

struct Command {
    std::string_view name;
    std::string_view summary;  // one line of --help
    ExitCode (*run)(const std::vector<std::string>& arguments);
};

// Each returns an exit code or throws. `arguments` are the words after the subcommand's name.
ExitCode run_scenario(const std::vector<std::string>& arguments);
ExitCode calibrate_system(const std::vector<std::string>& arguments);
ExitCode describe_cluster(const std::vector<std::string>& arguments);
ExitCode compare_measured(const std::vector<std::string>& arguments);
ExitCode diagnose_log(const std::vector<std::string>& arguments);
ExitCode explain_scenario(const std::vector<std::string>& arguments);
ExitCode import_file(const std::vector<std::string>& arguments);
ExitCode show_catalog(const std::vector<std::string>& arguments);
ExitCode plan_layout(const std::vector<std::string>& arguments);
ExitCode study_designs(const std::vector<std::string>& arguments);
ExitCode sweep_scenario(const std::vector<std::string>& arguments);
ExitCode show_topology(const std::vector<std::string>& arguments);

// Set by the first Ctrl-C; a second one ends the program at once.
const std::atomic<bool>& stop_flag();

}  // namespace fabricast::cli
