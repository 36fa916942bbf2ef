#pragma once
// Benchmark logs that can be read as measurement files. Each format is one file of formats/, listed in CMakeLists.txt.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "validate/import/log_format.hpp"
#include "validate/import/log_text.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline validate_import {

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

// Reads a measurement file, a probe's file with several curves, or a log of any format, which the text itself decides.
// Throws InputError.
std::vector<Measurement> read_measurements(const std::string& path, const Statements& said = {});

}  // namespace fabricast::inline validate_import
