#pragma once
// One format of a benchmark's log: how to know it by sight, and how to read it.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "validate/import/log_text.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast {

// What the user says beside the log, by "section.key": {"system.network", "InfiniBand NDR"}.
using Statements = std::map<std::string, std::string, std::less<>>;

struct LogFormat {
    std::string_view name;  // as typed: "nccl-tests"
    std::string_view summary;
    bool real_sample = false;  // a log of a real run was read in a test
    bool (*fits)(std::string_view text);
    // Every table of the log, in order; each becomes a measurement whose `id` is its label ("all_reduce"). Throws
    // InputError at the first thing that is not a whole log's, also where the file merely ends too early.
    std::vector<Measurement> (*read)(const LogText& log, const Statements& said);
};

// Whether a text holds a part; whether it begins as JSON does.
bool holds(std::string_view text, std::string_view part);
bool is_json(std::string_view text);

}  // namespace fabricast
