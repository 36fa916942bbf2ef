#pragma once
// Benchmark logs that can be read as measurement files: how to recognise a format and how to read it. Each format is
// one file of formats/, listed in CMakeLists.txt.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "validate/import/log_text.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline validate_import {

// What the user states in addition to the log, by "section.key": {"system.network", "InfiniBand NDR"}.
using Statements = std::map<std::string, std::string, std::less<>>;

struct LogFormat {
    std::string_view name;  // as typed: "nccl-tests"
    std::string_view summary;
    bool real_sample = false;  // whether a test reads a log of a real run
    bool (*fits)(std::string_view text);
    // Every table of the log, in order; each becomes a measurement whose `id` is its label ("all_reduce"). Throws
    // InputError at the first thing that does not belong in a complete log, also if the file merely ends too early.
    std::vector<Measurement> (*read)(const LogText& log, const Statements& said);
};

// In the order in which their `fits` is called.
const std::vector<LogFormat>& log_formats();

// The format with that name; for "auto" the first that fits. Throws InputError at 1:1.
const LogFormat& log_format(std::string_view name, const LogText& log,
                            const std::vector<LogFormat>& formats = log_formats());

// Reads a log as one format and names its measurements: the id comes from the file name and, if there are several, the
// label of each. What the user states in `said` replaces what the log says. Throws InputError.
std::vector<Measurement> import_log(std::string text, const std::string& file, std::string_view format,
                                    const Statements& said = {}, const std::vector<LogFormat>& formats = log_formats());

// The text of a log, decompressed if it is gzip. Throws InputError.
std::string read_log_text(const std::filesystem::path& path);

// Reads a measurement file, a probe's file of several curves, or a log of any format, by its text. Throws InputError.
std::vector<Measurement> read_measurements(const std::string& path, const Statements& said = {});

}  // namespace fabricast::inline validate_import
