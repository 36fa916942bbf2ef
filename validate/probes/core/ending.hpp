#pragma once
// How a probe ends: the exit codes, the exceptions that say so, and Ctrl-C. The numbers are fabricast's.

#include <stdexcept>

namespace probe {

enum ExitCode : int {
    whole = 0,         // what was written is whole
    failed = 1,        // a transfer, a peer or a file failed; rows measured before are kept
    bad_usage = 2,     // nothing was run
    not_here = 4,      // this machine lacks the device
    interrupted = 130  // Ctrl-C; whole rows are kept
};

// A wrong command line: what was found and what is accepted.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// No GPU, no HCA, no driver: one line says which.
struct NotHere : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Bytes arrived that were not sent. A rate measured with it means nothing, so the run ends.
struct WrongData : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Ctrl-C or SIGTERM, seen between two transfers.
struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("stopped") {}
};

// Ctrl-C asks; the run ends between two transfers with whole rows. A second Ctrl-C ends it at once.

// Takes SIGINT and SIGTERM for this process.
void listen_for_interrupt();
// For a helper process of the run: its owner decides when it ends.
void ignore_interrupt();
bool interrupt_asked();
// Throws Stopped once asked.
void stop_if_asked();

}  // namespace probe
