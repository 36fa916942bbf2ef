#pragma once
// One format of benchmark logs: how to recognise it and how to read it.

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

}  // namespace fabricast::inline validate_import
