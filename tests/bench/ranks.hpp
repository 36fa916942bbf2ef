#pragma once
// The program under mpirun, timed.

#include <string>

namespace fabricast::bench {

// Seconds of the whole command; negative where it failed.
double seconds_of(const std::string& command);

// One rank and two, one thread each, of `command` on the scenario: start of mpirun and of the program included. `out`
// is the option that names the result, which must be the same.
void ranks_speedup(const char* figure_name, const std::string& scenario, const std::string& command,
                   const std::string& out);

}  // namespace fabricast::bench
