#pragma once
// A subcommand is one function in one file; main.cpp holds the table of them, runs one and turns what it throws into an
// exit code.

#include <atomic>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::cli {

// The contract with scripts.
enum ExitCode : int {
    ok = 0,              // what was printed is whole
    internal_or_io = 1,  // our fault, or the disk's
    bad_input = 2,       // nothing half-written
    cannot_end = 3,      // deadlock, unreachable devices
    missing_here = 4,    // a GPU, root rights, a library left out of the build
    assert_failed = 5,   // of the scenario
    interrupted = 130,   // Ctrl-C; whole rows were kept
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

// Each returns an exit code or throws; arguments are those after the subcommand's name.
int run_scenario(const std::vector<std::string>& arguments);
int calibrate_system(const std::vector<std::string>& arguments);  // only where Ceres is in the build
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
