#pragma once
// The logs of benchmarks that are read into measurement files. Each format is a file of formats/, listed in
// CMakeLists.txt.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "validate/import/log_format.hpp"
#include "validate/import/log_text.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast {

// In the order in which `fits` is asked.
const std::vector<LogFormat>& log_formats();

// The format of that name, or with "auto" the first that fits. Throws InputError at 1:1.
const LogFormat& log_format(std::string_view name, const LogText& log);

// Reads a log as one format and names its measurements: ids from the file's name and, where there are several, the
// label of each; what is said beside the log replaces what it says. Throws InputError.
std::vector<Measurement> import_log(std::string text, const std::string& file, std::string_view format,
                                    const Statements& said = {});

// The text of a log, unpacked where it is gzip. Throws InputError.
std::string read_log_text(const std::filesystem::path& path);

// A measurement file, a probe's with several curves, or a log of any format: by its text. Throws InputError.
std::vector<Measurement> read_measurements(const std::string& path, const Statements& said = {});

}  // namespace fabricast
