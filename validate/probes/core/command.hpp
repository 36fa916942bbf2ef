#pragma once
// What every probe's command has in common: options, exit codes, and a file of whole rows however the run ends.

#include <functional>
#include <string>
#include <vector>

#include "core/ending.hpp"
#include "core/options.hpp"
#include "core/sweep.hpp"
#include "core/writer.hpp"

namespace probe {

// A probe's own options, then --sizes, --rounds, --samples, --budget, --output, --name, --quiet and --help.
std::vector<OptionSpec> with_common_options(std::vector<OptionSpec> own, const std::string& sizes);
int rounds_of(const Options& options);
SamplingRule sampling_rule(const Options& options);

// Parses, runs, and turns what is thrown into one line on standard error and an exit code.
int run_command(int argc, char** argv, const std::string& name, const std::string& purpose,
                const std::vector<OptionSpec>& table, const std::function<int(const Options&)>& body);

// id, source and benchmark of a file by this probe, filled from the options.
MeasurementFile begin_measurement(const Options& options, const std::string& probe, const std::string& kind);

std::string compiler_name();  // "GCC 12.2.0"
// "UCX_TLS=tcp ...": what of the environment begins so.
std::string environment_of(const std::string& prefix);

// Collects rows and writes the file now and then and when the run ends, by itself or by Ctrl-C. Where standard error is
// a terminal, one line on it says how far the run is.
class Recorder {
public:
    // `points` rows will come.
    Recorder(const Options& options, MeasurementFile file, std::size_t points);

    // Runs `measure`, which adds rows and may complete the sections; then writes the file. What is thrown is told and
    // becomes the exit code; rows are kept.
    int record(const std::function<void(MeasurementFile&)>& measure);
    void add(const Row& row);

private:
    void write();
    void clear_progress() const;

    std::string name_;
    std::string path_;
    MeasurementFile file_;
    std::size_t points_;
    bool shows_progress_;
    double written_at_s_;
};

}  // namespace probe
