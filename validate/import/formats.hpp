#pragma once
// The logs of benchmarks that are read into measurement files, one row a format. To add one: a function that reads it,
// a function that knows it by sight, and a row in formats.cpp.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "validate/import/log_text.hpp"
#include "validate/measurement.hpp"

namespace fabricast {

// What the user says beside the log, by "section.key": {"system.network", "InfiniBand NDR"}.
using Statements = std::map<std::string, std::string, std::less<>>;

struct LogFormat {
    std::string_view name;  // as typed: "nccl-tests"
    std::string_view summary;
    bool real_sample = false;  // a log of a real run was read in a test
    bool (*fits)(std::string_view text);
    // Every table of the log, in order; each becomes a measurement whose `id` is its label ("all_reduce"). Throws
    // ScenarioError at the first thing that is not a whole log's, also where the file merely ends too early.
    std::vector<Measurement> (*read)(const LogText& log, const Statements& said);
};

// In the order in which `fits` is asked.
const std::vector<LogFormat>& log_formats();

// The format of that name, or with "auto" the first that fits. Throws ScenarioError at 1:1.
const LogFormat& log_format(std::string_view name, const LogText& log);

// Reads a log as one format and names its measurements: ids from the file's name and, where there are several, the
// label of each; what is said beside the log replaces what it says. Throws ScenarioError.
std::vector<Measurement> import_log(std::string text, const std::string& file, std::string_view format,
                                    const Statements& said = {});

// The text of a log, unpacked where it is gzip. Throws ScenarioError.
std::string read_log_text(const std::filesystem::path& path);

// A measurement file, a probe's with several curves, or a log of any format: by its text. Throws ScenarioError.
std::vector<Measurement> read_measurements(const std::string& path, const Statements& said = {});

// The readers, each in a file of its own.
std::vector<Measurement> read_nccl_tests(const LogText& log, const Statements& said);
std::vector<Measurement> read_nccl_tests_json(const LogText& log, const Statements& said);
std::vector<Measurement> read_nvbandwidth(const LogText& log, const Statements& said);
std::vector<Measurement> read_nvbandwidth_json(const LogText& log, const Statements& said);
std::vector<Measurement> read_p2p_bandwidth_latency(const LogText& log, const Statements& said);
std::vector<Measurement> read_bandwidth_test(const LogText& log, const Statements& said);
std::vector<Measurement> read_perftest(const LogText& log, const Statements& said);
std::vector<Measurement> read_osu(const LogText& log, const Statements& said);
std::vector<Measurement> read_gdrcopy(const LogText& log, const Statements& said);
std::vector<Measurement> read_ucx_perftest(const LogText& log, const Statements& said);

}  // namespace fabricast
