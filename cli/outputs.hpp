#pragma once
// The files that a command writes, looked at before anything runs: `-` is standard output, one file takes one result,
// and no result takes the place of what it was made from.

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::cli {

class Outputs {
public:
    // `options` name the files to write; what other options read is not among them. Throws UsageError where a file is
    // named twice or is one that is read, IoError where it is a folder or in none.
    Outputs(const po::variables_map& values, const std::vector<std::string>& options);

    // Also read by this command: the scenario's file with those that it includes, its overlays, its recording. Throws
    // UsageError.
    void keep(const Scenario& scenario);
    // One more file, named when its content is known. Throws as the constructor.
    void add(const std::filesystem::path& file);

    // Nothing where the option is not given. Throws IoError.
    void write(const char* option, std::string_view text) const;
    // For people: standard output, or standard error where a file goes to standard output.
    std::ostream& words() const;

private:
    void refuse_inputs(const std::string& file) const;

    const po::variables_map& values_;
    std::vector<std::string> files_;
    std::vector<std::string> inputs_;
};

// To a file, or with `-` to standard output. Throws IoError.
void write_output(const std::string& file, std::string_view text);

}  // namespace fabricast::cli
