#pragma once
// Whether a report meets the asserts of its scenario.

#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline report {

// The asserts of the scenario that the report does not meet, each with the value found. An assert about a size or a
// node count that the report does not contain counts as failed.
std::vector<std::string> failed_asserts(const Scenario& scenario, const Report& report);

// The message has one line for each assert that failed.
struct AssertFailed : ErrorWith<ExitCode::assert_failed> {
    using ErrorWith::ErrorWith;
};

// Throws AssertFailed if an assert failed.
void check_asserts(const Scenario& scenario, const Report& report);

}  // namespace fabricast::inline report
