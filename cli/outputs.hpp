#pragma once
// The files that a command writes, checked before anything runs: `-` is standard output, each file gets only one
// result, and no result overwrites an input.

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/html/page.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::cli {

class Outputs {
public:
    // `options` are the options that name a file to write. Throws UsageError if a file is named twice or is also an
    // input, IoError if it is a folder or its folder does not exist, MissingCharts if --html cannot be drawn.
    Outputs(const po::variables_map& values, const std::vector<std::string>& options);

    // Adds to the inputs: the scenario's file and the files that it includes, its overlays, its recording. Throws
    // UsageError if a file to write is one of them.
    void keep(const Scenario& scenario);
    // Adds a file to write whose name is only known later. Throws like the constructor.
    void add(const std::filesystem::path& file);

    // Each writes to the file that `option`, --json, --html, or --csv and --tsv name, if any. Throws IoError.
    void write(const char* option, const std::function<std::string()>& text) const;
    void write_json(const std::function<Json()>& json) const;
    void write_page(const std::function<html::Page()>& page) const;
    void write_table(const std::function<Records()>& records) const;
    // Stream for text meant for people: standard output, or standard error if a result goes to standard output.
    std::ostream& words() const;
    // Its characters a line if it is a terminal, else 0.
    std::size_t width() const;

private:
    bool to_standard_output() const;
    void refuse_inputs(const std::string& file) const;

    const po::variables_map& values_;
    std::vector<std::string> files_;
    std::vector<std::string> inputs_;
};

// Writes to a file, or to standard output if `file` is `-`. Throws IoError.
void write_output(const std::string& file, std::string_view text);

}  // namespace fabricast::cli
