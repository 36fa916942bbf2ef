#pragma once
// Runs work in a fresh child process and says what it took: nothing of one measurement warms or bloats the next, and
// SimGrid may be started again.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fabricast::bench {

struct Measured {
    double wall_s = 0;
    double cpu_s = 0;    // user and system
    double rss_MiB = 0;  // peak of the process
    std::vector<double> result;
};

// Ends the program with a message when the work throws or dies.
Measured in_child(const std::function<std::vector<double>()>& work);

// The fastest of several runs, by CPU time.
Measured best_of(int runs, const std::function<std::vector<double>()>& work);

// Prints `figure: <name> <value> <unit>`.
void figure(const std::string& name, double value, const std::string& unit);

// True when no name was asked for, or one of them is part of this one.
bool wanted(const std::vector<std::string>& names, const std::string& group);

}  // namespace fabricast::bench
