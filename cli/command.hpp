#pragma once
// A subcommand is one function in one file; main.cpp has the table of subcommands, runs one, and turns its exceptions
// into exit codes.

#include <atomic>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::cli {

// Scripts rely on these values.
enum ExitCode : int {
    ok = 0,              // the output is complete
    internal_or_io = 1,  // a fault of the program, or of the disk
    bad_input = 2,       // no partial output was written
    cannot_end = 3,      // deadlock, unreachable devices
    missing_here = 4,    // something is missing here: a GPU, root rights, a library that the build lacks
    assert_failed = 5,   // an `assert` of the scenario
    interrupted = 130,   // Ctrl-C; finished rows were kept
};

// The command line itself is wrong (exit code 2).
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Command {
    std::string_view name;
    std::string_view summary;  // one line of --help
    int (*run)(const std::vector<std::string>& arguments);
};

// Each returns an exit code or throws. `arguments` are the words after the subcommand's name.
int run_scenario(const std::vector<std::string>& arguments);
int calibrate_system(const std::vector<std::string>& arguments);  // only in builds with Ceres
int compare_measured(const std::vector<std::string>& arguments);
int diagnose_log(const std::vector<std::string>& arguments);
int explain_scenario(const std::vector<std::string>& arguments);
int import_file(const std::vector<std::string>& arguments);
int show_catalog(const std::vector<std::string>& arguments);
int study_designs(const std::vector<std::string>& arguments);
int sweep_scenario(const std::vector<std::string>& arguments);
int show_topology(const std::vector<std::string>& arguments);

// Set by the first Ctrl-C; a second one ends the program at once.
const std::atomic<bool>& stop_flag();

}  // namespace fabricast::cli
